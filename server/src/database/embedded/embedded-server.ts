import type { Logger } from 'pino';
import { CLUSTER_ROLE } from './cluster.ts';
import { joinServer } from './membership.ts';
import { type ConnectionOptions, DATABASE } from './server-connection.ts';
import { prepareServerHome } from './server-home.ts';
import { CLUSTER_SETTINGS } from './server-settings.ts';
import { reachableSocketDirectory, SOCKET_PORT } from './socket-directory.ts';

export interface EmbeddedServer {
  readonly connectionOptions: ConnectionOptions;
  /** The same as a connection string for `pg` and the tools of PostgreSQL. */
  readonly url: string;
  /** Ends this program's use of the server; the last program to do so stops it. */
  release(): Promise<void>;
}

interface EmbeddedServerOptions {
  /** Where Parley keeps its data; the server's files go below it. */
  readonly dataDir: string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** How often the link to a socket with a long path is renewed, against sweepers of temporary files. */
const LINK_RENEWAL_MS = 60 * 60 * 1000;

/**
 * Joins the real PostgreSQL whose data are below `dataDir`, creating and starting it when needed.
 *
 * The server listens on a unix socket only and is a process of its own: it outlives a killed program, and the next start
 * joins it. Any number of programs on this machine may use one `dataDir` at once; each is counted as long as it runs,
 * and `release` of the last stops the server. Neither the server nor this handle keeps the process alive.
 *
 * @throws {EmbeddedServerError} when there is no PostgreSQL for this platform, it cannot run or start here, or the data
 *   are of another major version or another user.
 */
export async function startEmbeddedServer({
  dataDir,
  logger,
}: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const home = await prepareServerHome(dataDir, CLUSTER_SETTINGS);
  const host = await reachableSocketDirectory(home.socketDirectory);
  const renewal = setInterval(() => {
    reachableSocketDirectory(home.socketDirectory).catch((error) =>
      logger.warn({ err: error }, 'socket link not renewed'),
    );
  }, LINK_RENEWAL_MS).unref();
  const connectionOptions = { host, port: SOCKET_PORT, user: CLUSTER_ROLE, database: DATABASE };
  const membership = await joinServer({ home, connectionOptions, logger });
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

/** `localhost` is there for parsers that want a host name; the `host` parameter wins over it. */
function connectionUrl({ host, port, user, database }: ConnectionOptions): string {
  return `postgres://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}
