import pg from 'pg';
import { otherOwner } from './embedded-server.errors.ts';
import type { ServerHome } from './server-home.ts';

/** How to connect to the embedded server, in the words of `pg`. */
export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** The database made for Parley. */
export const DATABASE = 'parley';

const SILENT_CODES = new Set(['ENOENT', 'ECONNREFUSED']);
const NO_SUCH_DATABASE = '3D000';
/** duplicate_database, or unique_violation when both get as far as the catalog. object_in_use: its template is. */
const DATABASE_EXISTS = new Set(['42P04', '23505', '55006']);
/** too_many_connections, cannot_connect_now */
const BUSY_CODES = new Set(['53300', '57P03']);

/** SQLSTATEs and system errors of a connection that its server ended, because it stops or another process of it died. */
const CUT_OFF_CODES = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE']);

/** Whether the server ended the connection (or never answered on it) rather than refused what was asked. */
export function isConnectionClosed(error: unknown): boolean {
  const code = codeOf(error);
  // pg gives no code to its own errors, which are these: terminated unexpectedly, timeout expired.
  return CUT_OFF_CODES.has(code) || code === '';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

type Answer =
  | { readonly kind: 'connected'; readonly client: pg.Client }
  /** Nobody listens on the socket. */
  | { readonly kind: 'silent' }
  /** It says that it starts, recovers, stops or is out of connections. */
  | { readonly kind: 'busy' }
  /** It took the connection and cut it, or did not answer in time. */
  | { readonly kind: 'cut_off' };

/** One attempt to connect, sorted by what it tells about the server. Makes the database of Parley if there is none. */
export async function tryToConnect(home: ServerHome, options: ConnectionOptions): Promise<Answer> {
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
    const code = codeOf(error);
    if (SILENT_CODES.has(code)) return { kind: 'silent' };
    if (code === 'EACCES') throw otherOwner(home.socketDirectory);
    if (code === NO_SUCH_DATABASE && options.database === DATABASE) return createDatabase(home, options);
    if (BUSY_CODES.has(code)) return { kind: 'busy' };
    if (isConnectionClosed(error)) return { kind: 'cut_off' };
    throw error;
  }
}

async function createDatabase(home: ServerHome, options: ConnectionOptions): Promise<Answer> {
  const answer = await tryToConnect(home, { ...options, database: 'postgres' });
  if (answer.kind !== 'connected') return answer;
  try {
    await answer.client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    // Another program may have been faster, which shows in the one or the other way.
    if (!DATABASE_EXISTS.has(codeOf(error)) && !isConnectionClosed(error)) throw error;
    return { kind: 'busy' };
  } finally {
    await answer.client.end();
  }
  return tryToConnect(home, options);
}
