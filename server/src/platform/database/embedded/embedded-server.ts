import type { Logger } from 'pino';
import type { Encryption } from '../../shared/encryption.ts';
import { applicationRole, requirePassword, requiresPassword } from './cluster-access.ts';
import { openDatabasePassword } from './database-password.ts';
import { joinServer } from './membership.ts';
import { reloadSettings } from './postmaster.ts';
import { type ConnectionOptions, databaseName } from './server-connection.ts';
import { prepareServerHome, type ServerHome } from './server-home.ts';
import { clusterSettings } from './server-settings.ts';
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
