import type { Logger } from '../shared/logger.ts';
import type { Database } from './database.ts';

/** Runs a read whose result may lag behind the last writes. */
export type ReadList = <Result>(read: (db: Database) => Promise<Result>) => Promise<Result>;

/** A replica that fails is left alone for this long. */
const pauseMs = 10_000;

/** Reads from the replica if there is one. If that fails, reads from the primary. */
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
      failedAt = performance.now();
      logger.warn({ err: error }, 'DATABASE_READ_URL failed; reading lists from DATABASE_URL for 10 s');
      return read(db);
    }
  };
}
