import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The rows that an actor may see. Every query of tenant tables takes one. */
export type Scope = { kind: 'all' } | { kind: 'team'; teamId: string };

export const inScope = (scope: Scope, column: string): RawBuilder<SqlBool> =>
  scope.kind === 'all' ? sql`true` : sql`${sql.ref(column)} = ${scope.teamId}::uuid`;
