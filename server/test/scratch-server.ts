import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { CLUSTER_ROLE } from '../src/database/embedded/cluster.ts';
import { type StopMode, startPostmaster, stopPostmaster } from '../src/database/embedded/postmaster.ts';
import { prepareServerHome, SOCKET_DIRECTORY_FROM_CLUSTER } from '../src/database/embedded/server-home.ts';
import { CLUSTER_SETTINGS } from '../src/database/embedded/server-settings.ts';
import { SOCKET_PORT } from '../src/database/embedded/socket-directory.ts';
import { reservePort } from './reserved-port.ts';

/** A PostgreSQL for one test alone, which may stop, crash and start it. */
interface ScratchServer {
  /** Of the database `postgres`; stays the same over stops and starts. */
  readonly url: string;
  readonly dataDir: string;
  /** Starts it again and returns when it takes connections. */
  start(): Promise<void>;
  /** `immediate` is a crash. Returns when it is gone. */
  stop(mode: StopMode): Promise<void>;
  /** Stops it and removes all its files. */
  remove(): Promise<void>;
}

interface ScratchServerOptions {
  /** Listen on a port of the loopback address, as an operator's server does, instead of a unix socket. */
  readonly tcp?: boolean;
  /** Wait for the disk, as tests of crashes of the machine would want; off otherwise, for speed. */
  readonly fsync?: boolean;
  /** Of PostgreSQL, beside those of the embedded one. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Creates and starts a PostgreSQL in a temporary directory, with the programs of the embedded one. */
export async function startScratchServer({
  tcp = true,
  fsync = false,
  settings: given = {},
}: ScratchServerOptions = {}): Promise<ScratchServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-scratch-'));
  const home = await prepareServerHome(dataDir, CLUSTER_SETTINGS);
  const kept = tcp ? await reservePort() : null;
  const port = kept?.port ?? SOCKET_PORT;
  const host = tcp ? '127.0.0.1' : home.socketDirectory;
  const url = `postgres://${CLUSTER_ROLE}@localhost/postgres?${new URLSearchParams({ host, port: String(port) })}`;
  const settings = {
    listen_addresses: tcp ? host : '',
    port: String(port),
    unix_socket_directories: SOCKET_DIRECTORY_FROM_CLUSTER,
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
      await kept?.release();
      await rm(dataDir, { recursive: true, force: true });
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
