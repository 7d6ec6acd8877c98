import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from '../shared/logger.ts';
import { handleConnectionErrors } from './broken-connections.ts';
import { PoolDriver } from './pool-driver.ts';
import { PoolExecutor } from './pool-executor.ts';
import type { DB } from './schema.generated.ts';
import { beginSession, SessionClient } from './session.ts';
import { watchForSilence } from './silence.ts';
import { StatementSender } from './statement-sender.ts';
import { createStatementBuilder } from './statements.ts';

export type Database = Kysely<DB>;
export type Transaction = KyselyTransaction<DB>;

export interface DatabaseConnection {
  db: Database;
  close(): Promise<void>;
}

/** Longer than the session's `statement_timeout`. */
const defaultResponseTimeoutMs = 70_000;

/** A new connection plans each statement at least six times, which costs more than an idle connection. */
const idleTimeoutMs = 5 * 60_000;

/** `keepIdle` is for work that must continue when the database accepts no new connections. */
export function connectDatabase(options: {
  url: string;
  poolSize: number;
  applicationName: string;
  keepIdle?: boolean;
  responseTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** Runs on each new connection. If it throws, the connection is not used. */
  onConnect?: (client: pg.ClientBase) => Promise<void>;
  logger: Pick<Logger, 'warn'>;
}): DatabaseConnection {
  const pool = new pg.Pool({
    Client: SessionClient,
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 8_000,
    idleTimeoutMillis: options.keepIdle === true ? 0 : idleTimeoutMs,
    types: { getTypeParser: typeParser },
    onConnect: async (client) => {
      await beginSession(client);
      await options.onConnect?.(client);
    },
  });
  handleConnectionErrors(pool, options.logger, 'an idle database connection broke');
  const { responseTimeoutMs = defaultResponseTimeoutMs, url, logger } = options;
  const sender = new StatementSender(responseTimeoutMs, typeParser, watchForSilence({ pool, url, logger }));
  const db = createKysely(pool, sender);
  return { db, close: () => db.destroy() };
}

/** Reads int8 as a number, since counters fit a double, and a date as text, since it is not an instant. */
const typeParser: typeof pg.types.getTypeParser = (type, format) => {
  if (type === pg.types.builtins.INT8 && format !== 'binary') return Number;
  if (type === pg.types.builtins.DATE && format !== 'binary') return String;
  return pg.types.getTypeParser(type, format);
};

function createKysely(pool: pg.Pool, sender: StatementSender): Database {
  const statements = createStatementBuilder();
  const connections = new PoolDriver(pool, statements, sender);
  const executor = new PoolExecutor(pool, connections, statements, sender);
  const dialect = new PostgresDialect({ pool });
  return new Kysely<DB>({ config: { dialect }, dialect, driver: connections, executor });
}
