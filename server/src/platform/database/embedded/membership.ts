import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connectOrStart } from './connect-or-start.ts';
import { stopPostmaster } from './postmaster.ts';
import { type ConnectionOptions, isConnectionClosed } from './server-connection.ts';
import type { ServerHome } from './server-home.ts';

/** Session advisory lock (ASCII "embd"): all members share it, and the last one takes it exclusively. */
const membershipLock = 0x656d6264;

const rejoinPauseMs = 1_000;

interface MembershipOptions {
  readonly home: ServerHome;
  readonly connectionOptions: ConnectionOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

interface Membership {
  leave(): Promise<void>;
}

/** Joins the server, and restarts it in the background when it ends unexpectedly. */
export async function joinServer(options: MembershipOptions): Promise<Membership> {
  const { home, connectionOptions, logger } = options;
  let left = false;
  let rejoining: Promise<void> = Promise.resolve();
  let client = await acquireMembership(home, connectionOptions);
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
        client = await acquireMembership(home, connectionOptions);
        watch(client);
        logger.info({ socket: connectionOptions.host }, 'embedded PostgreSQL joined again');
        return;
      } catch (error) {
        logger.error({ err: error, log: home.logPath }, 'embedded PostgreSQL cannot be joined');
        await delay(rejoinPauseMs);
      }
    }
  }

  return {
    async leave() {
      left = true;
      await rejoining;
      setKeepsProcessAlive(client, true);
      if (await lockAsLast(client)) {
        await stopPostmaster(home.clusterDirectory, 'fast');
        logger.info({}, 'embedded PostgreSQL stopped');
      }
      await client.end();
    },
  };
}

/** Connects and takes the shared lock. Retries if the server stops in the meantime. */
async function acquireMembership(home: ServerHome, connectionOptions: ConnectionOptions): Promise<pg.Client> {
  for (;;) {
    const client = await connectOrStart(home, connectionOptions);
    try {
      await client.query('select pg_advisory_lock_shared($1)', [membershipLock]);
      setKeepsProcessAlive(client, false);
      return client;
    } catch (error) {
      await client.end();
      if (!isConnectionClosed(error)) throw error;
    }
  }
}

function setKeepsProcessAlive(client: pg.Client, alive: boolean): void {
  // Every client of pg has both methods; the types lack them.
  const referable = client as pg.Client & { ref(): void; unref(): void };
  if (alive) referable.ref();
  else referable.unref();
}

/** A program that joins now waits for the lock, loses its connection and starts the server again. */
async function lockAsLast(client: pg.Client): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [membershipLock]);
    const { rows } = await client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [
      membershipLock,
    ]);
    return rows[0]?.last === true;
  } catch {
    return false;
  }
}
