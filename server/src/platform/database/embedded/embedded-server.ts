import type { Logger } from 'pino';
import type { Encryption } from '../../shared/encryption.ts';
import { applicationRole, requirePassword, requiresPassword } from './cluster-access.ts';
import { openDatabasePassword } from './database-password.ts';
import { joinServer } from './membership.ts';
import { reloadSettings } from './postmaster.ts';
import { type ConnectionOptions, databaseName } from './server-connection.ts';
import { prepareServerHome, type ServerHome } from './server-home.ts';
import { reachableSocketDirectory, socketPort } from './socket-directory.ts';

export interface EmbeddedServer {
  readonly connectionOptions: ConnectionOptions;
  readonly url: string;
  /** Leaves the server. The last program to leave stops it. */
  release(): Promise<void>;
}

interface EmbeddedServerOptions {
  readonly dataDir: string;
  /** Seals the password of the database. */
  readonly encryption: Pick<Encryption, 'seal' | 'open' | 'currentHeader'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const linkRenewalMs = 60 * 60 * 1000;

/** Starts or joins the server of `dataDir`, which may outlive this program. Throws `EmbeddedServerError`. */
export async function startEmbeddedServer({
  dataDir,
  encryption,
  logger,
}: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const home = await prepareServerHome(dataDir, clusterSettings);
  const host = await reachableSocketDirectory(home.socketDirectory);
  const renewal = setInterval(() => {
    reachableSocketDirectory(home.socketDirectory).catch((error) =>
      logger.warn({ err: error }, 'socket link not renewed'),
    );
  }, linkRenewalMs).unref();
  const connectionOptions = await openAccess(home, host, { dataDir, encryption });
  const membership = await joinServer({ home, connectionOptions, logger });
  // An earlier start may have been killed between writing the access rules and their reload.
  await reloadSettings(home.clusterDirectory);
  let released: Promise<void> | undefined;
  return {
    connectionOptions,
    url: connectionUrl(connectionOptions),
    release() {
      clearInterval(renewal);
      released ??= membership.leave();
      return released;
    },
  };
}

async function openAccess(
  home: ServerHome,
  host: string,
  { dataDir, encryption }: Pick<EmbeddedServerOptions, 'dataDir' | 'encryption'>,
): Promise<ConnectionOptions> {
  const isProtected = await requiresPassword(home.clusterDirectory);
  const password = await openDatabasePassword({
    dataDirectory: dataDir,
    encryption,
    mayCreate: !isProtected,
  });
  if (!isProtected) await requirePassword(home, { host, port: socketPort }, password);
  return { host, port: socketPort, user: applicationRole, password, database: databaseName };
}

/** URL parsers require a host name. The `host` parameter overrides it. */
export function connectionUrl({ host, port, user, password, database }: ConnectionOptions): string {
  return `postgres://${user}:${password}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}

/** The operator may change these in the cluster's `postgresql.conf`. */
export const clusterSettings: Readonly<Record<string, string>> = {
  shared_buffers: '128MB',
  max_connections: '200',
  // A process that stops inside a transaction must not hold its locks forever.
  idle_in_transaction_session_timeout: '60s',
  // Plans made while a table was empty scan it completely until its statistics are updated.
  autovacuum_naptime: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and rejected rows contain customers' data, so do not log them.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};
