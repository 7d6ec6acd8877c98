import { type Expression, type SqlBool, sql } from 'kysely';

const trigram = /[\p{L}0-9]{3}/u;

/**
 * Whether a text contains a part, regardless of case and with LIKE's wildcards taken literally. A part without a trigram
 * is searched for without the index: reading the whole index takes longer than reading the table.
 */
export function containsText(column: Expression<string>, part: string): Expression<SqlBool> {
  if (!trigram.test(part)) return sql<SqlBool>`strpos(lower(${column}), lower(${part})) > 0`;
  const literal = part.replaceAll(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`${column} ilike ${`%${literal}%`}`;
}
