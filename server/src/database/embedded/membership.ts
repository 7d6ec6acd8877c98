import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connectOrStart } from './connect-or-start.ts';
import { stopPostmaster } from './postmaster.ts';
import { type ConnectionOptions, isConnectionClosed } from './server-connection.ts';
import type { ServerHome } from './server-home.ts';

/**
 * Session advisory lock (ASCII "embd") in the database `parley` of an embedded server: every program using the server
 * holds it shared, on a connection of its own, for as long as it runs; the one that gets it exclusively is the last.
 */
const MEMBERSHIP_LOCK = 0x656d6264;

const REJOIN_PAUSE_MS = 1_000;

interface MembershipOptions {
  readonly home: ServerHome;
  readonly connectionOptions: ConnectionOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

interface Membership {
  /** Gives the membership up and stops the server if nobody else has one. */
  leave(): Promise<void>;
}

/**
 * Becomes a member of the server, and stays one: when the server is lost (killed, out of memory, stopped by hand) it is
 * started again in the background.
 */
export async function joinServer(options: MembershipOptions): Promise<Membership> {
  const { home, connectionOptions, logger } = options;
  let left = false;
  let rejoining: Promise<void> = Promise.resolve();
  let client = await hold(home, connectionOptions);
  watch(client);
  logger.info({ socket: connectionOptions.host, log: home.logPath }, 'embedded PostgreSQL joined');

  function watch(current: pg.Client): void {
    current.once('end', () => {
      if (!left) rejoining = rejoin();
    });
  }

  async function rejoin(): Promise<void> {
    logger.warn({ log: home.logPath }, 'embedded PostgreSQL lost, joining it again');
    while (!left) {
      try {
        client = await hold(home, connectionOptions);
        watch(client);
        logger.info({ socket: connectionOptions.host }, 'embedded PostgreSQL joined again');
        return;
      } catch (error) {
        logger.error({ err: error, log: home.logPath }, 'embedded PostgreSQL cannot be joined');
        await delay(REJOIN_PAUSE_MS);
      }
    }
  }

  return {
    async leave() {
      left = true;
      await rejoining;
      keepsProcessAlive(client, true);
      if (await isLast(client)) {
        await stopPostmaster(home.clusterDirectory, 'fast');
        logger.info({}, 'embedded PostgreSQL stopped');
      }
      await client.end();
    },
  };
}

/** Connects, and takes the lock. A server that stops meanwhile cuts the connection: then it is started anew. */
async function hold(home: ServerHome, connectionOptions: ConnectionOptions): Promise<pg.Client> {
  for (;;) {
    const client = await connectOrStart(home, connectionOptions);
    try {
      await client.query('SELECT pg_advisory_lock_shared($1)', [MEMBERSHIP_LOCK]);
      keepsProcessAlive(client, false);
      return client;
    } catch (error) {
      await client.end();
      if (!isConnectionClosed(error)) throw error;
    }
  }
}

function keepsProcessAlive(client: pg.Client, alive: boolean): void {
  // Every client of pg has both methods, its pool uses them; only the types leave them out.
  const referable = client as pg.Client & { ref(): void; unref(): void };
  if (alive) referable.ref();
  else referable.unref();
}

/**
 * Gives up the shared lock and tries for the exclusive one, which is kept until the server is gone: a program that
 * joins meanwhile waits for the lock, is cut off, and starts the server again.
 */
async function isLast(client: pg.Client): Promise<boolean> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [MEMBERSHIP_LOCK]);
    const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
      MEMBERSHIP_LOCK,
    ]);
    return rows[0]?.last === true;
  } catch {
    // The server is gone, so there is nothing to stop.
    return false;
  }
}
