import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../shared/logger.ts';
import { SessionClient } from './session.ts';

/** Returns the connections whose statement got no response for some seconds. */
export type FindLate = () => readonly pg.ClientBase[];

const responseTimeoutMs = 3_000;
const attempts = 2;

/**
 * Closes connections that fell silent, for example because the database's machine vanished or a router forgot them. A
 * late statement is still running if the server says so on a new connection. Otherwise its connection and all idle ones
 * are closed. TCP alone would notice after 15 minutes.
 */
export function watchForSilence(options: {
  pool: pg.Pool;
  url: string;
  logger: Pick<Logger, 'warn'>;
}): (findLate: FindLate) => void {
  const { pool, url, logger } = options;
  const idle = new Set<pg.ClientBase>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_error, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
  let isChecking = false;

  const check = async (findLate: FindLate): Promise<void> => {
    const late = findLate();
    const older = [...idle];
    const busy = await findBusy(url, late);
    await setImmediate(); // reads the responses that have arrived
    const stillLate = new Set(findLate());
    const silent = late.filter((client) => stillLate.has(client) && !busy.has(client));
    if (silent.length === 0 || pool.ending) return;
    logger.warn({ connections: silent.length }, 'connections to the database fell silent; replacing them');
    for (const client of [...silent, ...older.filter((each) => idle.has(each))]) {
      if (client instanceof SessionClient) client.destroy();
    }
  };

  return (findLate) => {
    if (isChecking) return;
    isChecking = true;
    void check(findLate).finally(() => {
      isChecking = false;
    });
  };
}

/** Returns the clients whose statement the server executes. Returns none if the server does not respond at all. */
async function findBusy(url: string, clients: readonly pg.ClientBase[]): Promise<Set<pg.ClientBase>> {
  const sessions = clients.filter((client) => client instanceof SessionClient);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const active = await readActive(url, sessions);
      return new Set(
        sessions.filter(({ backend }) => backend && active.get(backend.pid) === backend.startedAt),
      );
    } catch (error) {
      if (isRefusal(error)) return new Set(clients);
      if (attempt === attempts) return new Set();
    }
  }
}

async function readActive(url: string, sessions: readonly SessionClient[]): Promise<Map<number, string>> {
  const client = new SessionClient({
    connectionString: url,
    application_name: 'parley check',
    connectionTimeoutMillis: responseTimeoutMs,
    query_timeout: responseTimeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const pids = sessions.map(({ backend }) => backend?.pid ?? 0);
    const { rows } = await client.query<{ pid: number; started: string }>(
      `select pid, extract(epoch from backend_start)::text as started
       from pg_stat_activity where pid = any ($1) and state <> 'idle' and state not like 'idle in transaction%'`,
      [pids],
    );
    return new Map(rows.map(({ pid, started }) => [pid, started]));
  } finally {
    client.destroy();
  }
}

/** Classes 28 and 53: a wrong password, or too many connections. The server is there, but says nothing about others. */
const isRefusal = (error: unknown): boolean => /^(28|53)...$/.test(Object(error).code ?? '');
