import { type Expression, type SqlBool, sql } from 'kysely';

/** What the index of trigrams finds a text by. */
const trigram = /[\p{L}0-9]{3}/u;

/**
 * Case-insensitive substring; the wildcards of LIKE stand for themselves. Without a trigram an index would be read as a
 * whole, which takes longer than the table: such a part is looked for in a form that no index is for.
 */
export function containsText(column: Expression<string>, part: string): Expression<SqlBool> {
  if (!trigram.test(part)) return sql<SqlBool>`strpos(lower(${column}), lower(${part})) > 0`;
  const literal = part.replaceAll(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`${column} ilike ${`%${literal}%`}`;
}
