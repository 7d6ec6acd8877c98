import { operationRoles } from './roles.generated.ts';

export type Operation = keyof typeof operationRoles;

export interface Caller {
  teamId: string | null;
  role: string | null;
  /** In a portal, the pages that it opens. */
  portal?: { pages: readonly string[] } | null;
}

/** Whether the service would let the actor call the operation. An actor without a role has all rights within its scope. */
export function mayCall({ teamId, role, portal }: Caller, operation: Operation): boolean {
  const allowed: Record<'partner' | 'team' | 'portal', readonly string[]> = operationRoles[operation];
  if (portal && !allowed.portal.some((page) => portal.pages.includes(page))) return false;
  const roles = allowed[teamId === null ? 'partner' : 'team'];
  return role === null ? roles.length > 0 : roles.includes(role);
}
