import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import type { DeviceHost } from './device-host.ts';
import type { Dispatcher } from './dispatcher.ts';
import { countDevices, selectFreeCapacity, selectOwned } from './lease.queries.ts';
import type { Lease } from './lease.ts';

/** How far a pool has come with handing its devices to others. */
export interface DrainState {
  draining: boolean;
  /** Still here, since no other pool has had room for them so far. */
  devices: number;
  connected: number;
}

export interface PoolDrain {
  /** Takes no devices from now on, and gives those it has to others. Again: how far that is. */
  begin(): Promise<DrainState>;
  /** One step, for as long as it drains: some devices go, as far as other pools have room. */
  step(): Promise<void>;
}

/** Devices that go in one step: their connections begin anew elsewhere, which a network must not see all at once. */
const atOnce = 20;

export function createPoolDrain(deps: {
  db: Database;
  /** The pool's own. */
  url: string;
  lease: Pick<Lease, 'poolId' | 'drain' | 'isDraining' | 'give'>;
  hosting: Pick<DeviceHost, 'letGo' | 'takeBack'>;
  dispatcher: Pick<Dispatcher, 'hold' | 'release'>;
  notifications: Pick<Notifications, 'publish'>;
  logger: Pick<Logger, 'info'>;
  faultPoint: FaultPoint;
}): PoolDrain {
  const { db, url, lease, hosting, dispatcher, notifications, logger, faultPoint } = deps;

  /** Nothing is under way for a device that goes, and its connection is closed before another pool may open one. */
  const handOver = async (deviceIds: readonly string[]): Promise<void> => {
    await dispatcher.hold(deviceIds);
    let given: string[] = [];
    try {
      await hosting.letGo(deviceIds);
      faultPoint('drain.after_close');
      given = await lease.give(deviceIds);
      faultPoint('drain.after_give');
    } finally {
      dispatcher.release(deviceIds);
      await hosting.takeBack(deviceIds);
    }
    for (const deviceId of given) notifications.publish('device-changed', deviceId);
    if (given.length > 0) logger.info({ deviceIds: given }, 'devices are handed to other pools');
  };

  return {
    async begin() {
      if (!lease.isDraining()) logger.info({ poolId: lease.poolId() }, 'the pool drains');
      await lease.drain();
      return { draining: true, ...(await countDevices(db, url)) };
    },

    async step() {
      const poolId = lease.poolId();
      if (poolId === null || !lease.isDraining()) return;
      const deviceIds = await selectOwned(db, poolId, atOnce);
      const places = deviceIds.length === 0 ? 0 : await selectFreeCapacity(db);
      if (places > 0) await handOver(deviceIds.slice(0, places));
    },
  };
}
