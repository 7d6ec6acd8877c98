import { markDone, selectDevicesWithPending, selectPending } from '../devices/inbox.sql.ts';
import type { Database } from '../platform/database/database.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import type { Logger } from '../platform/shared/logger.ts';
import { type NetworkSession, NotOwner } from '../ports/messaging-network/messaging-network.ts';

/** Gives the sessions what their networks pushed, each device's events in their order. */
export interface InboxReader {
  /** Reads the events of a device, if its session is up here. Returns whether it is. */
  wake(deviceId: string): boolean;
  /** Wakes the devices of the pool that have events. */
  poll(poolId: string): Promise<void>;
  /** Resolves when no event is being handled. Starts nothing more. */
  stop(): Promise<void>;
}

export function createInboxReader({
  db,
  getSession,
  logger,
}: {
  db: Database;
  getSession(deviceId: string): NetworkSession | null;
  logger: Pick<Logger, 'warn'>;
}): InboxReader {
  const running = new Map<string, { again: boolean; done: Promise<void> }>();
  let stopped = false;

  const readPage = async (deviceId: string): Promise<number> => {
    const events = await selectPending(db, deviceId);
    const done: string[] = [];
    try {
      for (const { event_key: key, payload, bytes } of events) {
        const session = stopped ? null : getSession(deviceId);
        if (session?.receive === undefined) break;
        await session.receive({ payload, bytes });
        faultPoint('inbox.after_receive');
        done.push(key);
      }
    } finally {
      if (done.length > 0) await markDone(db, deviceId, done);
    }
    return done.length;
  };

  const read = async (deviceId: string): Promise<void> => {
    try {
      while ((await readPage(deviceId)) > 0 && !stopped);
    } catch (error) {
      // The next poll repeats it, here or in the pool that owns the device now.
      if (!(error instanceof NotOwner))
        logger.warn({ err: error, deviceId }, 'a pushed event could not be handled; retrying');
    }
  };

  const start = (deviceId: string) => {
    const task = { again: false, done: Promise.resolve() };
    task.done = read(deviceId).then(() => {
      running.delete(deviceId);
      if (task.again) wake(deviceId);
    });
    running.set(deviceId, task);
  };

  const wake = (deviceId: string): boolean => {
    if (stopped || getSession(deviceId)?.receive === undefined) return false;
    const task = running.get(deviceId);
    if (task === undefined) start(deviceId);
    else task.again = true;
    return true;
  };

  return {
    wake,
    async poll(poolId) {
      for (const deviceId of await selectDevicesWithPending(db, poolId)) wake(deviceId);
    },
    async stop() {
      stopped = true;
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}
