import { type Expression, type SqlBool, sql } from 'kysely';

/** Case-insensitive substring; the wildcards of LIKE stand for themselves. */
export function containsText(column: Expression<string>, part: string): Expression<SqlBool> {
  const literal = part.replaceAll(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`${column} ilike ${`%${literal}%`}`;
}
