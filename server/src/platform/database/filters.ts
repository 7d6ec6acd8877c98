import { type Expression, type SqlBool, sql } from 'kysely';

const trigram = /[\p{L}0-9]{3}/u;

/** Matches a literal part in any case. A part without a trigram skips the index, which would be slower than a scan. */
export function containsText(column: Expression<string>, part: string): Expression<SqlBool> {
  if (!trigram.test(part)) return sql<SqlBool>`strpos(lower(${column}), lower(${part})) > 0`;
  const literal = part.replaceAll(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`${column} ilike ${`%${literal}%`}`;
}
