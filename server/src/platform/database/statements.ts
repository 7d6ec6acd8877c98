import { createHash } from 'node:crypto';
import type { CompiledQuery, QueryResult } from 'kysely';
import type pg from 'pg';
import type { StatementResult } from './prepared-query.ts';

/** Further texts stay unnamed, so that generated statements cannot fill the server's memory. */
const maxNames = 1000;

export type StatementBuilder = (query: Pick<CompiledQuery, 'sql' | 'parameters'>) => pg.QueryConfig;

/** Names every text with parameters, so that each connection parses and plans it once. */
export function createStatementBuilder(): StatementBuilder {
  const names = new Map<string, string>();
  const getName = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxNames) return known;
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    names.set(text, name);
    return name;
  };
  return ({ sql, parameters }) =>
    parameters.length === 0
      ? { text: sql }
      : // pg's type wants a mutable array; nothing changes it.
        { name: getName(sql), text: sql, values: parameters as unknown[] };
}

export async function toQueryResult<Row>(result: Promise<StatementResult>): Promise<QueryResult<Row>> {
  try {
    const { rows, rowCount } = await result;
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
  } catch (error) {
    // This stack leads to the caller; pg's leads to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}
