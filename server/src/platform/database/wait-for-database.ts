import { setTimeout } from 'node:timers/promises';
import pg from 'pg';

/** A failover manager promotes the standby soon, or leads connections elsewhere. */
class StandbyFound extends Error {
  constructor() {
    super('the database at DATABASE_URL is a standby that accepts no writes');
  }
}

interface WaitOptions {
  seconds: number;
  /** Ends the wait. The returned promise rejects. */
  signal: AbortSignal;
  /** Called before the first pause. */
  onAway: (error: unknown) => void;
}

const retryMs = 500;
const attemptMs = 10_000;

/** Waits while the server cannot be reached. Leaves every other error, and the last one, to the next connection. */
export async function waitForDatabase(url: string, { seconds, signal, onAway }: WaitOptions): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  signal.throwIfAborted();
  let reported = false;
  while (performance.now() < deadline) {
    const error = await Promise.race([connectOnce(url, deadline - performance.now()), aborted]);
    if (error === null || !isAway(error)) return;
    if (!reported) onAway(error);
    reported = true;
    await setTimeout(retryMs, undefined, { signal });
  }
}

async function connectOnce(url: string, remainingMs: number): Promise<unknown> {
  const connectionTimeoutMillis = Math.max(1, Math.min(attemptMs, remainingMs));
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
    return rows[0]?.standby === true ? new StandbyFound() : null;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => undefined); // never connected
  }
}

/** Network errors, 08... (connection exceptions), too_many_connections, and a server that starts or stops. */
const awayCodes =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|53300|57P0[123])$/;

/** pg's own errors have no code: a timeout, or a connection that ended during the login. */
const awayMessages = /^(timeout expired|Connection terminated)/;

function isAway(error: unknown): boolean {
  if (error instanceof StandbyFound) return true;
  if (error instanceof AggregateError) return error.errors.every(isAway);
  const { code, message = '' } = error as { code?: string; message?: string };
  return code === undefined ? awayMessages.test(message) : awayCodes.test(code);
}
