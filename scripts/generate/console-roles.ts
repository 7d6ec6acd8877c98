import { withRoles } from './roles-page.ts';

/** Returns the table by which the console offers only what a role may do. */
export function consoleRoles(openapi: string): string {
  const rows = withRoles(openapi).map(({ operationId, 'x-roles': { partner, team, portal } }) => {
    const lists = [partner, team, portal].map((roles) => `[${roles.map((role) => `'${role}'`).join(', ')}]`);
    return `  ${operationId}: { partner: ${lists[0]}, team: ${lists[1]}, portal: ${lists[2]} },`;
  });
  return [
    '// Generated from openapi.json by npm run generate.',
    '',
    "/** The roles of the partner's staff and of a team that may call each operation, and the pages of a portal that need it. */",
    'export const operationRoles = {',
    ...rows,
    '} as const;',
    '',
  ].join('\n');
}
