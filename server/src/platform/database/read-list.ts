import type { Logger } from '../shared/logger.ts';
import { DatabaseNotReached, isConnectionLost, StatementTimedOut } from './connection-errors.ts';
import type { Database } from './database.ts';

/** Runs a read whose result may lag behind the last writes. */
export type ReadList = <Result>(read: (db: Database) => Promise<Result>) => Promise<Result>;

/** After a failure, the replica is not tried for this time. */
const pauseMs = 10_000;

/**
 * Reads from the replica if there is one. Reads from the primary while the replica is unavailable, and when replication
 * cancelled the read. The caller receives every other error. A timeout is one, because the primary would take as long.
 */
export function createReadList({
  db,
  replica,
  logger,
}: {
  db: Database;
  replica: Database | null;
  logger: Pick<Logger, 'warn'>;
}): ReadList {
  let failedAt = -Infinity;
  return async (read) => {
    if (replica === null || performance.now() - failedAt < pauseMs) return read(db);
    try {
      return await read(replica);
    } catch (error) {
      if (isAway(error)) {
        failedAt = performance.now();
        logger.warn({ err: error }, 'DATABASE_READ_URL failed; reading lists from DATABASE_URL for 10 s');
      } else if (!isCancelledByReplication(error)) throw error;
      return read(db);
    }
  };
}

const isAway = (error: unknown): boolean =>
  error instanceof DatabaseNotReached || (isConnectionLost(error) && !(error instanceof StatementTimedOut));

/** serialization_failure or deadlock_detected: "canceling statement due to conflict with recovery" */
const isCancelledByReplication = (error: unknown): boolean =>
  /^(40001|40P01)$/.test((error as { code?: string }).code ?? '');
