import { once } from 'node:events';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { readRunningPid } from '../src/platform/database/embedded/postmaster-lock.ts';
import { addressOf, throughServer } from './database-address.ts';
import { eventually } from './eventually.ts';
import { startScratchServer } from './scratch-server.ts';

/** A primary with a synchronous streaming standby, behind an address that leads to the current primary. */
export interface ReplicatedServer {
  url: string;
  /** Address of the standby. */
  standbyUrl: string;
  /** Kills the primary like a power failure, promotes the standby, and leads the address to it. */
  killPrimary(): Promise<void>;
  promoteStandby(): Promise<void>;
  killStandby(): Promise<void>;
  /** Cuts the primary off like a broken network, which closes no connection. Promotes the standby, and leads new connections to it. */
  failOverSilently(): Promise<void>;
  remove(): Promise<void>;
}

const cluster = (dataDir: string): string => join(dataDir, 'postgres/cluster');

export async function startReplicatedServer(
  settings: Readonly<Record<string, string>> = {},
): Promise<ReplicatedServer> {
  const primary = await startScratchServer({ fsync: true, settings: { ...settings, wal_level: 'replica' } });
  const { host, port } = addressOf(primary.url) as { host: string; port: number };
  const standby = await startScratchServer({
    fsync: true,
    prepare: (dataDir) => copyCluster(primary, dataDir),
    settings: {
      ...settings,
      primary_conninfo: `host=${host} port=${port} user=parley application_name=standby`,
    },
  });
  await administer(
    primary.url,
    "alter system set synchronous_standby_names = 'standby'",
    'select pg_reload_conf()',
  );
  await eventually(async () => {
    const [state] = await administer(primary.url, 'select sync_state from pg_stat_replication');
    if (state?.['sync_state'] !== 'sync')
      throw new Error(`the standby is not synchronous: ${JSON.stringify(state)}`);
  });
  const proxy = await startSwitch(primary.url);
  return {
    url: proxy.url,
    standbyUrl: standby.url,
    async killPrimary() {
      process.kill((await readRunningPid(cluster(primary.dataDir))) ?? Number.NaN, 'SIGKILL');
      proxy.cut();
    },
    async killStandby() {
      process.kill((await readRunningPid(cluster(standby.dataDir))) ?? Number.NaN, 'SIGKILL');
    },
    async failOverSilently() {
      proxy.silence();
      await administer(standby.url, 'select pg_promote()');
      proxy.leadTo(standby.url);
    },
    async promoteStandby() {
      await administer(standby.url, 'select pg_promote()');
      proxy.leadTo(standby.url);
    },
    async remove() {
      proxy.close();
      await standby.remove();
      await primary.remove();
    },
  };
}

/** Copies the files of a running server, as pg_basebackup would. */
async function copyCluster(primary: { url: string; dataDir: string }, dataDir: string): Promise<void> {
  const client = new pg.Client(primary.url);
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await mkdir(cluster(dataDir), { recursive: true, mode: 0o700 });
    await cp(cluster(primary.dataDir), cluster(dataDir), { recursive: true, preserveTimestamps: true });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await rm(join(cluster(dataDir), 'postmaster.pid'));
    await writeFile(join(cluster(dataDir), 'backup_label'), rows[0]?.labelfile ?? '');
    await writeFile(join(cluster(dataDir), 'standby.signal'), '');
  } finally {
    await client.end();
  }
}

async function administer(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** A TCP proxy that leads to one server, then to another. */
async function startSwitch(first: string) {
  let target: string | null = first;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (target === null) return client.destroy();
    const database = connect(addressOf(target));
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        client.destroy();
        database.destroy();
      });
    }
    client.pipe(database).pipe(client);
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    target = null;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: throughServer(first, server),
    cut,
    silence() {
      target = null;
      for (const socket of sockets) socket.unpipe().pause();
    },
    leadTo(url: string) {
      target = url;
    },
    close() {
      server.close();
      cut();
    },
  };
}
