import pg from 'pg';
import { otherOwner, passwordRefused } from './embedded-server.errors.ts';
import type { ServerHome } from './server-home.ts';

export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export const databaseName = 'parley';

const notListeningCodes = new Set(['ENOENT', 'ECONNREFUSED']);
/** invalid_password, invalid_authorization_specification */
const refusedCodes = new Set(['28P01', '28000']);
/** too_many_connections, cannot_connect_now */
const busyCodes = new Set(['53300', '57P03']);

const closedCodes = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE']);

/** Returns whether the server closed the connection or did not respond. */
export function isConnectionClosed(error: unknown): boolean {
  const code = readCode(error);
  // pg's own errors (terminated unexpectedly, timeout expired) have no code.
  return closedCodes.has(code) || code === '';
}

export function isPasswordRefused(error: unknown): boolean {
  return refusedCodes.has(readCode(error)) || Object(error).reason === 'password_refused';
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
    if (notListeningCodes.has(code)) return { kind: 'not_listening' };
    if (code === 'EACCES') throw otherOwner(home.socketDirectory);
    if (refusedCodes.has(code)) throw passwordRefused(error);
    if (busyCodes.has(code)) return { kind: 'busy' };
    if (isConnectionClosed(error)) return { kind: 'closed' };
    throw error;
  }
}
