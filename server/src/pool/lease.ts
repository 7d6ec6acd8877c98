import { lockOrphanedDevices } from '../devices/hosting.sql.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import { newId } from '../platform/shared/ids.ts';
import type { Logger } from '../platform/shared/logger.ts';
import {
  assignDevices,
  canTakeOver,
  deleteEmptyPools,
  endLease,
  insertPool,
  lockFreeCapacity,
  moveDevices,
  renewLease,
  resumeLease,
  writeDraining,
} from './lease.queries.ts';

export interface LeaseOptions {
  db: Database;
  /** A separate connection that only renews the lease. */
  leaseDb: Database;
  url: string;
  capacity: number;
  leaseSeconds: number;
  logger: Pick<Logger, 'info' | 'warn'>;
  onTakeover(devices: number): void;
  /** Must close every connection without writing rows, because other pools may own the devices now. */
  onLost(): Promise<void>;
}

/** A row that expires on the database's clock. A lease lost locally is resumed with its devices unless it has expired. */
export interface Lease {
  /** Null without a lease. Reads the clock, because after a pause the lease may expire before any timer runs. */
  poolId(): string | null;
  remainingSeconds(): number | null;
  /** Renews the lease or takes a new one. Throws when the database is unavailable; the lease then expires. */
  renew(): Promise<void>;
  /** Takes over devices of expired pools, up to this pool's capacity. Returns their number. */
  takeOver(): Promise<number>;
  /** Accepts no new devices, under this lease and later leases of this process. */
  drain(): Promise<void>;
  isDraining(): boolean;
  /** Moves devices to other pools, up to their capacity. Returns the moved ones. */
  transfer(deviceIds: readonly string[]): Promise<string[]>;
  deleteEndedPools(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Share of the lease after which this process closes its connections. The rest (0.9 s of 6 s) is for closing hundreds of
 * connections on a busy machine before another pool may open them.
 */
const safeShare = 0.85;
const takeOverBatchSize = 500;

export function createLease(options: LeaseOptions): Lease {
  const { db, leaseDb, url, capacity, leaseSeconds, logger } = options;
  let poolId: string | null = null;
  let draining = false;
  let safeUntil = 0;
  let guard: NodeJS.Timeout | undefined;
  let lost: { id: string; disconnected: Promise<void> } | null = null;

  const lose = (why: string) => {
    clearTimeout(guard);
    if (poolId === null) return;
    logger.warn({ poolId }, `the pool's lease is lost: ${why}`);
    lost = { id: poolId, disconnected: options.onLost() };
    poolId = null;
  };

  /** `since` is the time at which the renewal was sent, so that its latency shortens the lease. */
  const hold = (id: string, since: number) => {
    clearTimeout(guard);
    poolId = id;
    safeUntil = since + leaseSeconds * 1000 * safeShare;
    guard = setTimeout(() => lose('it could not be renewed in time'), safeUntil - performance.now());
  };

  const resumeLost = async (): Promise<boolean> => {
    if (lost === null) return false;
    const { id, disconnected } = lost;
    await disconnected;
    const since = performance.now();
    const resumed = await db.transaction().execute(async (tx) => {
      if (await resumeLease(tx, { id, draining })) return true;
      await endLease(tx, id, 'pool_lost');
      return false;
    });
    lost = null;
    if (resumed) hold(id, since);
    return resumed;
  };

  return {
    poolId: () => (performance.now() < safeUntil ? poolId : null),

    remainingSeconds() {
      const left = poolId === null ? 0 : safeUntil - performance.now();
      return left > 0 ? left / 1000 : null;
    },

    async renew() {
      const current = poolId;
      const since = performance.now();
      const renewed = current === null ? null : await renewLease(leaseDb, current);
      if (current !== null && renewed !== null) {
        // The API may have asked this pool to drain.
        draining ||= renewed.draining;
        if (poolId === current) hold(current, since);
        return;
      }
      lose('it had expired');
      if (await resumeLost()) return;
      const id = newId();
      const begun = performance.now();
      const wasDraining = draining;
      await insertPool(db, { id, url, capacity, leaseSeconds, draining });
      faultPoint('lease.after_begin');
      hold(id, begun);
      if (draining !== wasDraining) await writeDraining(db, id);
    },

    async takeOver() {
      const id = poolId;
      if (id === null || !(await canTakeOver(db, id))) return 0;
      let taken: number;
      let total = 0;
      do {
        taken = await db.transaction().execute((tx) => takeOverBatch(tx, { id, url }));
        total += taken;
        if (taken > 0) faultPoint('lease.after_takeover');
      } while (taken === takeOverBatchSize);
      if (total > 0) {
        options.onTakeover(total);
        logger.info({ poolId: id, devices: total }, 'took over devices of expired pools');
      }
      return total;
    },

    async drain() {
      draining = true;
      if (poolId !== null) await writeDraining(db, poolId);
    },

    isDraining: () => draining,

    async transfer(deviceIds) {
      const id = poolId;
      return id === null ? [] : db.transaction().execute((tx) => moveDevices(tx, id, deviceIds));
    },

    async deleteEndedPools() {
      await db.transaction().execute(deleteEmptyPools);
    },

    async end() {
      clearTimeout(guard);
      const id = poolId;
      poolId = null;
      if (id !== null) await db.transaction().execute((tx) => endLease(tx, id, 'pool_stopped'));
    },
  };
}

/** A draining pool takes over only devices of earlier pools under its own address. Returns the number of devices. */
async function takeOverBatch(tx: Transaction, pool: { id: string; url: string }): Promise<number> {
  const { room, draining } = await lockFreeCapacity(tx, pool.id);
  const limit = Math.min(room, takeOverBatchSize);
  const deviceIds = limit === 0 ? [] : await lockOrphanedDevices(tx, limit, draining ? pool.url : null);
  if (deviceIds.length > 0) await assignDevices(tx, pool, deviceIds);
  return deviceIds.length;
}
