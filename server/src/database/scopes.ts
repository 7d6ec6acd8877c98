import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Scope } from '../http/actor.ts';

/** Rows that the scope sees, by the column that says whose they are. */
export const inScope = (scope: Scope, column: string): RawBuilder<SqlBool> =>
  scope.kind === 'all' ? sql`true` : sql`${sql.ref(column)} = ${scope.teamId}::uuid`;
