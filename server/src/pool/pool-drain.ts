import type { Database } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { selectOwned } from '../devices/hosting.sql.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
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
}

/** Devices per step. Limits how many reconnect to the network at once. */
const stepSize = 20;

export function createPoolDrain(deps: {
  db: Database;
  url: string;
  lease: Pick<Lease, 'poolId' | 'drain' | 'isDraining' | 'transfer'>;
  host: Pick<DeviceHost, 'suspend' | 'resume'>;
  dispatcher: Pick<Dispatcher, 'hold' | 'release'>;
  notifications: Pick<Notifications, 'publish'>;
  logger: Pick<Logger, 'info'>;
  faultPoint: FaultPoint;
}): PoolDrain {
  const { db, url, lease, host, dispatcher, notifications, logger, faultPoint } = deps;

  /** Settles running delivery attempts and closes the connections before other pools may open theirs. */
  const moveToOtherPools = async (deviceIds: readonly string[]): Promise<void> => {
    await dispatcher.hold(deviceIds);
    let moved: string[] = [];
    try {
      await host.suspend(deviceIds);
      faultPoint('drain.after_close');
      moved = await lease.transfer(deviceIds);
      faultPoint('drain.after_give');
    } finally {
      dispatcher.release(deviceIds);
      await host.resume(deviceIds);
    }
    for (const deviceId of moved) notifications.publish('device-changed', deviceId);
    if (moved.length > 0) logger.info({ deviceIds: moved }, 'moved devices to other pools');
  };

  return {
    async start() {
      if (!lease.isDraining()) logger.info({ poolId: lease.poolId() }, 'the pool started to drain');
      await lease.drain();
      return { draining: true, ...(await countDevices(db, url)) };
    },

    async step() {
      const poolId = lease.poolId();
      if (poolId === null || !lease.isDraining()) return;
      const deviceIds = await selectOwned(db, poolId, stepSize);
      const capacity = deviceIds.length === 0 ? 0 : await selectFreeCapacity(db);
      if (capacity > 0) await moveToOtherPools(deviceIds.slice(0, capacity));
    },
  };
}
