import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { otherOwner, startFailed } from './embedded-server.errors.ts';
import { type StartedPostmaster, startPostmaster } from './postmaster.ts';
import { readRunningPid } from './postmaster-lock.ts';
import { type ServerHome, SOCKET_DIRECTORY_FROM_CLUSTER } from './server-home.ts';
import { SOCKET_PORT } from './socket-directory.ts';

/** How to connect to the embedded server, in the words of `pg`. */
export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** The database made for Parley. */
export const DATABASE = 'parley';

/** No sign of life for this long is a failure. A server that says it is recovering shows life. */
const PATIENCE_MS = 120_000;
const POLL_MS = 20;
const FAILED_STARTS_ALLOWED = 3;

type Answer =
  | { readonly kind: 'connected'; readonly client: pg.Client }
  /** Nobody listens on the socket. */
  | { readonly kind: 'silent' }
  /** Somebody does and will answer soon: it starts, recovers, stops or is out of connections. */
  | { readonly kind: 'busy'; readonly error: unknown };

/**
 * Connects to the server of a home, starting it when none runs, and waiting when one is starting or stopping.
 * Several programs may do so at once: PostgreSQL lets one postmaster live, and all connect to that.
 */
export async function reachServer(home: ServerHome, options: ConnectionOptions): Promise<pg.Client> {
  let started: (StartedPostmaster & { over: boolean }) | undefined;
  let failedStarts = 0;
  let lastSign = Date.now();
  const logStart = await logSize(home.logPath);
  for (;;) {
    const answer = await connect(home, options);
    if (answer.kind === 'connected') return answer.client;
    if (answer.kind === 'busy') lastSign = Date.now();
    const idle = started === undefined || started.over;
    if (answer.kind === 'silent' && idle && (await readRunningPid(home.clusterDirectory)) === undefined) {
      if (started !== undefined) failedStarts += 1;
      if (failedStarts >= FAILED_STARTS_ALLOWED) throw await describeFailure(home, logStart);
      started = await start(home);
    }
    if (Date.now() - lastSign > PATIENCE_MS) throw await describeFailure(home, logStart);
    await delay(POLL_MS);
  }
}

async function start(home: ServerHome): Promise<StartedPostmaster & { over: boolean }> {
  const postmaster = await startPostmaster({
    directory: home.clusterDirectory,
    binaries: home.binaries,
    account: home.account,
    logPath: home.logPath,
    settings: {
      listen_addresses: '',
      port: String(SOCKET_PORT),
      unix_socket_directories: SOCKET_DIRECTORY_FROM_CLUSTER,
    },
  });
  const watched = { ...postmaster, over: false };
  void postmaster.ended.then(() => {
    watched.over = true;
  });
  return watched;
}

/** SQLSTATEs of a server that exists and will serve soon: too many connections, stopping, crashed, starting. */
const BUSY_STATES = new Set(['53300', '57P01', '57P02', '57P03']);
const NO_SUCH_DATABASE = '3D000';
const SILENT_CODES = new Set(['ENOENT', 'ECONNREFUSED']);

async function connect(home: ServerHome, options: ConnectionOptions): Promise<Answer> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: 5_000,
    application_name: 'parley: membership',
  });
  // A connection that is lost fails whatever waits for it, and is noticed by its end.
  client.on('error', () => {});
  try {
    await client.connect();
    return { kind: 'connected', client };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (SILENT_CODES.has(code)) return { kind: 'silent' };
    if (code === 'EACCES') throw otherOwner(home.socketDirectory);
    if (code === NO_SUCH_DATABASE && options.database === DATABASE) return createDatabase(home, options);
    // Without a code: it was cut off or timed out, which a stopping server does.
    if (BUSY_STATES.has(code) || code === 'ECONNRESET' || code === 'EPIPE' || code === '')
      return { kind: 'busy', error };
    throw error;
  }
}

async function createDatabase(home: ServerHome, options: ConnectionOptions): Promise<Answer> {
  const answer = await connect(home, { ...options, database: 'postgres' });
  if (answer.kind !== 'connected') return answer;
  try {
    await answer.client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    // Another program may be creating it; if that is not it, the next attempt to connect says so.
    return { kind: 'busy', error };
  } finally {
    await answer.client.end();
  }
  return connect(home, options);
}

async function logSize(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** What PostgreSQL wrote since we tried is the reason, in its own words. */
async function describeFailure(home: ServerHome, logStart: number): Promise<Error> {
  const file = await open(home.logPath, 'r');
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4096), position: logStart });
  await file.close();
  const fatal = buffer
    .toString('utf8', 0, bytesRead)
    .split('\n')
    .filter((line) => /FATAL|PANIC|HINT/.test(line));
  return startFailed(fatal.slice(-3).join(' ') || 'it gave no reason', home.logPath);
}
