import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { clusterRole } from '../src/platform/database/embedded/cluster.ts';
import { clusterSettings } from '../src/platform/database/embedded/embedded-server.ts';
import {
  type StopMode,
  startPostmaster,
  stopPostmaster,
} from '../src/platform/database/embedded/postmaster.ts';
import {
  prepareServerHome,
  socketDirectoryFromCluster,
} from '../src/platform/database/embedded/server-home.ts';
import { socketPort } from '../src/platform/database/embedded/socket-directory.ts';
import { reservePort } from './reserved-port.ts';

/** A PostgreSQL that one test may stop, crash and start. */
interface ScratchServer {
  /** URL of the database `postgres`; constant over restarts. */
  readonly url: string;
  readonly dataDir: string;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  /** `immediate` is a crash. Resolves after the exit. */
  stop(mode: StopMode): Promise<void>;
  /** Stops it and deletes its files. */
  remove(): Promise<void>;
}

interface ScratchServerOptions {
  /** Listen on a loopback port instead of a unix socket. */
  readonly tcp?: boolean;
  /** Off by default for speed. */
  readonly fsync?: boolean;
  /** PostgreSQL settings besides those of the embedded server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Fills the new directory, for example with the cluster of another server. */
  readonly prepare?: (dataDir: string) => Promise<void>;
}

/** Starts a PostgreSQL without passwords in a temporary directory, with the binaries of the embedded server. */
export async function startScratchServer({
  tcp = true,
  fsync = false,
  settings: given = {},
  prepare,
}: ScratchServerOptions = {}): Promise<ScratchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-scratch-'));
  await prepare?.(dataDir);
  const home = await prepareServerHome(dataDir, clusterSettings);
  const reserved = tcp ? await reservePort() : null;
  const port = reserved?.port ?? socketPort;
  const host = tcp ? '127.0.0.1' : home.socketDirectory;
  const url = `postgres://${clusterRole}@localhost/postgres?${new URLSearchParams({ host, port: String(port) })}`;
  const settings = {
    listen_addresses: tcp ? host : '',
    port: String(port),
    unix_socket_directories: socketDirectoryFromCluster,
    fsync: fsync ? 'on' : 'off',
    ...given,
  };
  const server: ScratchServer = {
    url,
    dataDir,
    async start() {
      const postmaster = await startPostmaster({ ...home, directory: home.clusterDirectory, settings });
      while (!(await answers(url))) {
        if (postmaster.hasEnded())
          throw new Error(`the scratch PostgreSQL did not start, see ${home.logPath}`);
        await delay(10);
      }
    },
    stop: (mode) => stopPostmaster(home.clusterDirectory, mode),
    async remove() {
      await server.stop('immediate');
      await reserved?.release();
      // The processes of a killed server may still write to its folder.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
  await server.start();
  return server;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
