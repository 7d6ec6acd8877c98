import type { Database } from '../database/database.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { newId } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import {
  assignDevices,
  canTakeOver,
  deleteEmptyPools,
  endLease,
  insertPool,
  lockFreeCapacity,
  lockOrphanedDevices,
  moveDevices,
  renewLease,
  resumeLease,
  writeDraining,
} from './lease.queries.ts';

export interface LeaseOptions {
  db: Database;
  /** For renewing alone. */
  leaseDb: Database;
  url: string;
  capacity: number;
  leaseSeconds: number;
  logger: Pick<Logger, 'info' | 'warn'>;
  faultPoint: FaultPoint;
  /** So many devices of others are this pool's from now on. */
  onTakenOver(devices: number): void;
  /** The devices may be another pool's from now on: closes every connection, without a word to the database. */
  onLost(): Promise<void>;
}

/**
 * One incarnation of a pool after the other: a row with a lease on the database's clock, which is the lease of all its
 * devices. A lease that was given up in time and that nobody may have succeeded, as after a restart of the database, goes
 * on with the same devices; after one that is over a new incarnation begins, and takes over like any other pool.
 */
export interface Lease {
  /**
   * Null while no lease is held. Looks at the clock each time: after a pause of this process nothing is sent in the
   * moment before its timers notice that the lease is over.
   */
  poolId(): string | null;
  /** Seconds for which the lease is still held; null while none is. */
  remainingSeconds(): number | null;
  /** Renews, or begins anew. Throws when the database is away; the lease then ends by itself. */
  renew(): Promise<void>;
  /** Takes devices of pools that ended, as far as there is room; answers how many. */
  takeOver(): Promise<number>;
  /** Takes no more devices, created or taken over: for this incarnation and those that follow it in this process. */
  drain(): Promise<void>;
  isDraining(): boolean;
  /** Gives as many of these devices as there is room for to other pools; answers which. */
  give(deviceIds: readonly string[]): Promise<string[]>;
  /** Forgets pools that ended and host nothing any more. */
  deleteEndedPools(): Promise<void>;
  /** Hands all devices over. */
  end(): Promise<void>;
}

/** Of the lease, on this process's own clock: connections are closed well before others may open theirs. */
const safeShare = 0.85;
/** Devices taken over in one transaction. */
const takeOverBatch = 500;

export function createLease(options: LeaseOptions): Lease {
  const { db, leaseDb, url, capacity, leaseSeconds, logger, faultPoint } = options;
  let poolId: string | null = null;
  let draining = false;
  /** On this process's own clock. */
  let safeUntil = 0;
  let guard: NodeJS.Timeout | undefined;
  let past: { id: string; disconnected: Promise<void> } | null = null;

  const lose = (why: string) => {
    clearTimeout(guard);
    if (poolId === null) return;
    logger.warn({ poolId }, `the pool's lease is lost: ${why}`);
    past = { id: poolId, disconnected: options.onLost() };
    poolId = null;
  };

  /** `since`: when the statement that renewed was sent, so that its way there counts against us. */
  const hold = (id: string, since: number) => {
    clearTimeout(guard);
    poolId = id;
    safeUntil = since + leaseSeconds * 1000 * safeShare;
    guard = setTimeout(() => lose('it could not be renewed in time'), safeUntil - performance.now());
  };

  /**
   * Goes on with the incarnation before, which has no connections any more. False when its lease is over; what is left of
   * it need not be waited for.
   */
  const resumePast = async (): Promise<boolean> => {
    if (past === null) return false;
    const { id, disconnected } = past;
    await disconnected;
    const since = performance.now();
    const resumed = await db.transaction().execute(async (tx) => {
      if (await resumeLease(tx, { id, draining })) return true;
      await endLease(tx, id, 'pool_lost');
      return false;
    });
    past = null;
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
      const held = poolId;
      const since = performance.now();
      if (held !== null && (await renewLease(leaseDb, held))) {
        if (poolId === held) hold(held, since);
        return;
      }
      lose('it had ended');
      if (await resumePast()) return;
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
      let all = 0;
      do {
        taken = await db.transaction().execute(async (tx) => {
          const own = await lockFreeCapacity(tx, id);
          const limit = Math.min(own.room, takeOverBatch);
          const deviceIds =
            limit === 0 ? [] : await lockOrphanedDevices(tx, limit, own.draining ? url : null);
          if (deviceIds.length > 0) await assignDevices(tx, { id, url }, deviceIds);
          return deviceIds.length;
        });
        all += taken;
        if (taken > 0) faultPoint('lease.after_takeover');
      } while (taken === takeOverBatch);
      if (all > 0) {
        options.onTakenOver(all);
        logger.info({ poolId: id, devices: all }, 'devices of pools that ended are taken over');
      }
      return all;
    },

    async drain() {
      draining = true;
      if (poolId !== null) await writeDraining(db, poolId);
    },

    isDraining: () => draining,

    async give(deviceIds) {
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
