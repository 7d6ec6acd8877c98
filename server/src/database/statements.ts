import { createHash } from 'node:crypto';
import type { CompiledQuery, QueryResult } from 'kysely';
import type pg from 'pg';

/** Texts beyond this many stay unnamed, so that generated ones cannot fill the server's memory. */
const maxNames = 1000;

/** What a statement is sent as. */
export type StatementBuilder = (query: Pick<CompiledQuery, 'sql' | 'parameters'>) => pg.QueryConfig;

/**
 * Kysely sends unnamed statements, which the server parses and plans each time. This gives every text with values a
 * name, so that each connection prepares it once; one without values goes out as it is, in one message.
 */
export function createStatementBuilder(): StatementBuilder {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxNames) return known;
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    names.set(text, name);
    return name;
  };
  return ({ sql, parameters }) =>
    parameters.length === 0
      ? { text: sql }
      : // pg reads the values and leaves them as they are.
        { name: nameOf(sql), text: sql, values: parameters as unknown[] };
}

/** What pg answers, as Kysely wants it. */
export async function toQueryResult<Row>(asked: Promise<pg.QueryResult>): Promise<QueryResult<Row>> {
  try {
    const { rows, rowCount } = await asked;
    // Whoever wrote the statement says what its rows are.
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
  } catch (error) {
    // From here the stack leads to who asked; pg's leads to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}
