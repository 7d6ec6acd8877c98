import { setTimeout } from 'node:timers/promises';
import { selectOwned } from '../devices/hosting.sql.ts';
import type { Database } from '../platform/database/database.ts';
import type { Notifications } from '../platform/database/notifications.ts';
import { withDeadline } from '../platform/shared/deadline.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import type { Logger } from '../platform/shared/logger.ts';
import type { DeviceHost } from './device-host.ts';
import type { Dispatcher } from './dispatcher.ts';
import { countDevices, selectFreeCapacity } from './lease.queries.ts';
import type { Lease } from './lease.ts';

export interface DrainState {
  draining: boolean;
  devices: number;
  connected: number;
}

export interface PoolDrain {
  /** Accepts no devices from now on and moves those it has to other pools. Call it again to read the progress. */
  start(): Promise<DrainState>;
  /** Moves some devices, up to the free capacity of other pools. Does nothing unless the pool drains. */
  step(): Promise<void>;
  /** For a stop: moves the started devices while other pools have capacity, so that each is offline only for a moment. */
  finish(): Promise<void>;
}

/** Devices per step. Limits how many reconnect to the network at once. */
const stepSize = 20;
/** Steps of a stop move 250 devices a second, as many as other pools connect. */
const pauseMs = 80;
const maxFinishMs = 60_000;
/** How long a step waits for acknowledgements and for the connections to close. */
export const maxSettleMs = 3000;

export function createPoolDrain(deps: {
  db: Database;
  url: string;
  lease: Pick<Lease, 'poolId' | 'drain' | 'isDraining' | 'transfer'>;
  host: Pick<DeviceHost, 'suspend' | 'resume'>;
  dispatcher: Pick<Dispatcher, 'hold' | 'release'>;
  notifications: Pick<Notifications, 'publish'>;
  logger: Pick<Logger, 'info'>;
}): PoolDrain {
  const { db, url, lease, host, dispatcher, notifications, logger } = deps;

  /** Settles running delivery attempts and closes the connections before other pools may open theirs. */
  const moveToOtherPools = async (deviceIds: readonly string[]): Promise<number> => {
    let moved: string[] = [];
    try {
      await settle(dispatcher.hold(deviceIds));
      // The new epoch fences off a session that is still closing.
      await settle(host.suspend(deviceIds));
      faultPoint('drain.after_close');
      moved = await lease.transfer(deviceIds);
      faultPoint('drain.after_give');
      for (const deviceId of moved) notifications.publish('device-changed', deviceId);
    } finally {
      dispatcher.release(deviceIds);
      await host.resume(deviceIds);
    }
    if (moved.length > 0) logger.info({ deviceIds: moved }, 'moved devices to other pools');
    return moved.length;
  };

  const moveSome = async (startedOnly: boolean): Promise<number> => {
    const poolId = lease.poolId();
    if (poolId === null || !lease.isDraining()) return 0;
    const deviceIds = await selectOwned(db, poolId, { limit: stepSize, startedOnly });
    const capacity = deviceIds.length === 0 ? 0 : await selectFreeCapacity(db);
    return capacity === 0 ? 0 : moveToOtherPools(deviceIds.slice(0, capacity));
  };

  let moving: Promise<unknown> = Promise.resolve();
  const moveNext = (startedOnly: boolean): Promise<number> => {
    const move = moving.then(() => moveSome(startedOnly));
    moving = move.catch(() => undefined);
    return move;
  };

  return {
    async start() {
      if (!lease.isDraining()) logger.info({ poolId: lease.poolId() }, 'the pool started to drain');
      await lease.drain();
      return { draining: true, ...(await countDevices(db, url)) };
    },

    async step() {
      await moveNext(false);
    },

    async finish() {
      await withDeadline(maxSettleMs, () => lease.drain());
      const deadline = performance.now() + maxFinishMs;
      while (performance.now() < deadline && (await moveNext(true)) > 0) await setTimeout(pauseMs);
    },
  };
}

const settle = (work: Promise<void>): Promise<void> =>
  Promise.race([work, setTimeout(maxSettleMs, undefined, { ref: false })]);
