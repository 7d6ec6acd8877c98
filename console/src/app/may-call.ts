import { operationRoles } from './roles.generated.ts';

export type Operation = keyof typeof operationRoles;

/** Whether the service would let the actor call the operation. An actor without a role has all rights within its scope. */
export function mayCall(
  { teamId, role }: { teamId: string | null; role: string | null },
  operation: Operation,
): boolean {
  const roles: readonly string[] = operationRoles[operation][teamId === null ? 'partner' : 'team'];
  return role === null ? roles.length > 0 : roles.includes(role);
}
