import type { Logger } from 'pino';
import { CLUSTER_ROLE } from './cluster.ts';
import { joinServer } from './membership.ts';
import { type ConnectionOptions, DATABASE } from './server-connection.ts';
import { prepareServerHome } from './server-home.ts';
import { CLUSTER_SETTINGS } from './server-settings.ts';
import { reachableSocketDirectory, SOCKET_PORT } from './socket-directory.ts';

export interface EmbeddedServer {
  readonly connectionOptions: ConnectionOptions;
  readonly url: string;
  /** Leaves the server. The last program to leave stops it. */
  release(): Promise<void>;
}

interface EmbeddedServerOptions {
  readonly dataDir: string;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const LINK_RENEWAL_MS = 60 * 60 * 1000;

/** Starts or joins the server of `dataDir`, which may outlive this program. Throws `EmbeddedServerError`. */
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

/** URL parsers require a host name. The `host` parameter overrides it. */
function connectionUrl({ host, port, user, database }: ConnectionOptions): string {
  return `postgres://${user}@localhost/${database}?${new URLSearchParams({ host, port: String(port) })}`;
}
