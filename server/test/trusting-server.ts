import { clusterRole } from '../src/platform/database/embedded/cluster.ts';
import {
  clusterSettings,
  connectionUrl,
  type EmbeddedServer,
} from '../src/platform/database/embedded/embedded-server.ts';
import { joinServer } from '../src/platform/database/embedded/membership.ts';
import { prepareServerHome } from '../src/platform/database/embedded/server-home.ts';
import { reachableSocketDirectory, socketPort } from '../src/platform/database/embedded/socket-directory.ts';

/**
 * Starts or joins a server whose superuser needs no password, like the embedded server of version 0.1.0. Connects to the
 * database `postgres`.
 */
export async function startTrustingServer(
  dataDir: string,
  logger: Parameters<typeof joinServer>[0]['logger'],
): Promise<Pick<EmbeddedServer, 'url' | 'release'>> {
  const home = await prepareServerHome(dataDir, clusterSettings);
  const host = await reachableSocketDirectory(home.socketDirectory);
  const connectionOptions = {
    host,
    port: socketPort,
    user: clusterRole,
    password: 'none',
    database: 'postgres',
  };
  const membership = await joinServer({ home, connectionOptions, logger });
  return { url: connectionUrl(connectionOptions), release: () => membership.leave() };
}
