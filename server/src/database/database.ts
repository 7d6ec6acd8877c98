import { createHash } from 'node:crypto';
import {
  Kysely,
  type Transaction as KyselyTransaction,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import pg from 'pg';
import type { Logger } from '../shared/logger.ts';
import type { DB } from './schema.generated.ts';

export type Database = Kysely<DB>;
export type Transaction = KyselyTransaction<DB>;

export interface DatabaseConnection {
  db: Database;
  close(): Promise<void>;
}

/** Limits on every session: a process that stopped inside a transaction must not hold its rows for ever. */
const sessionOptions =
  '-c idle_in_transaction_session_timeout=30s -c lock_timeout=10s -c statement_timeout=60s -c timezone=UTC';

/** A pool of at most `poolSize` connections. `url` is a PostgreSQL connection string. */
export function connectDatabase(options: {
  url: string;
  poolSize: number;
  applicationName: string;
  logger: Pick<Logger, 'warn'>;
}): DatabaseConnection {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    options: sessionOptions,
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: typeParser },
  });
  pool.on('error', (error) => options.logger.warn({ err: error }, 'an idle database connection broke'));
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: withNamedStatements(pool) }) });
  return { db, close: () => db.destroy() };
}

/** Counters fit a double, and a date is a day, not an instant. */
const typeParser: typeof pg.types.getTypeParser = (type, format) => {
  if (type === pg.types.builtins.INT8 && format !== 'binary') return Number;
  if (type === pg.types.builtins.DATE && format !== 'binary') return String;
  return pg.types.getTypeParser(type, format);
};

/** Texts beyond this many stay unnamed, so that generated ones cannot fill the server's memory. */
const maxNamedStatements = 1000;

/**
 * Kysely sends unnamed statements, which the server parses and plans each time. This gives every text a name, so that
 * each connection prepares it once.
 */
function withNamedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxNamedStatements) return known;
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    names.set(text, name);
    return name;
  };
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
    function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
    function query(text: string | PostgresCursor<unknown>, values: readonly unknown[] = []): unknown {
      if (typeof text !== 'string') throw new TypeError('streaming through cursors is not set up');
      const name = values.length === 0 ? undefined : nameOf(text);
      return client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) });
    }
    return { query, release: (destroy) => client.release(destroy) };
  };
  return { connect: async () => wrap(await pool.connect()), end: () => pool.end(), options: pool.options };
}
