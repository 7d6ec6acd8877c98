import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { clusterRole } from '../src/platform/database/embedded/cluster.ts';
import { addressOf } from './database-address.ts';
import { eventually } from './eventually.ts';
import { ordinary } from './open-installation.ts';
import { reservePort } from './reserved-port.ts';

/** Debian installs it where only root looks. */
const env = { ...process.env, PATH: `${process.env['PATH']}${delimiter}/usr/sbin` };

/** False if the program is installed, else the reason to skip a test. */
export const pgbouncerMissing: string | false =
  spawnSync('pgbouncer', ['--version'], { env }).status === 0 ? false : 'pgbouncer is not installed';

/** Starts the real PgBouncer in front of a server that listens on a port and wants no password. */
export async function startPgbouncer(
  databaseUrl: string,
  poolMode: 'session' | 'transaction',
): Promise<{ url: string; stop(): Promise<void> }> {
  const address = addressOf(databaseUrl);
  if ('path' in address) throw new Error('PgBouncer needs a server that listens on a port');
  const folder = await mkdtemp(join(tmpdir(), 'parley-pgbouncer-'));
  const { port, release } = await reservePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
* = host=${address.host} port=${address.port} user=${clusterRole}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = 100
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [folder, file]) await chown(path, ordinary.uid, ordinary.gid);
  const child: ChildProcess = spawn('pgbouncer', [file], {
    env,
    cwd: folder,
    stdio: 'ignore',
    ...(isRoot ? ordinary : {}),
  });
  const url = new URL(databaseUrl);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String(port));
  await eventually(async () => {
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  }, 20_000);
  return {
    url: url.href,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await release();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
