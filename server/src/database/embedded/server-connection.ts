import pg from 'pg';
import { otherOwner } from './embedded-server.errors.ts';
import type { ServerHome } from './server-home.ts';

export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export const DATABASE = 'parley';

const NOT_LISTENING_CODES = new Set(['ENOENT', 'ECONNREFUSED']);
const NO_SUCH_DATABASE = '3D000';
/** Another program created the database, or uses its template. */
const DATABASE_EXISTS = new Set(['42P04', '23505', '55006']);
/** too_many_connections, cannot_connect_now */
const BUSY_CODES = new Set(['53300', '57P03']);

const CLOSED_CODES = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE']);

/** Returns whether the server closed the connection or did not respond. */
export function isConnectionClosed(error: unknown): boolean {
  const code = readCode(error);
  // pg's own errors (terminated unexpectedly, timeout expired) have no code.
  return CLOSED_CODES.has(code) || code === '';
}

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

type ConnectionAttempt =
  | { readonly kind: 'connected'; readonly client: pg.Client }
  | { readonly kind: 'not_listening' }
  /** The server starts, recovers, stops or is out of connections. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'closed' };

export async function tryToConnect(home: ServerHome, options: ConnectionOptions): Promise<ConnectionAttempt> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: 5_000,
    application_name: 'parley: membership',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return { kind: 'connected', client };
  } catch (error) {
    const code = readCode(error);
    if (NOT_LISTENING_CODES.has(code)) return { kind: 'not_listening' };
    if (code === 'EACCES') throw otherOwner(home.socketDirectory);
    if (code === NO_SUCH_DATABASE && options.database === DATABASE) return createDatabase(home, options);
    if (BUSY_CODES.has(code)) return { kind: 'busy' };
    if (isConnectionClosed(error)) return { kind: 'closed' };
    throw error;
  }
}

async function createDatabase(home: ServerHome, options: ConnectionOptions): Promise<ConnectionAttempt> {
  const attempt = await tryToConnect(home, { ...options, database: 'postgres' });
  if (attempt.kind !== 'connected') return attempt;
  try {
    await attempt.client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    if (!DATABASE_EXISTS.has(readCode(error)) && !isConnectionClosed(error)) throw error;
    return { kind: 'busy' };
  } finally {
    await attempt.client.end();
  }
  return tryToConnect(home, options);
}
