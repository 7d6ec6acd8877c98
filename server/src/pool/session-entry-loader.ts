import type { Database } from '../platform/database/database.ts';
import { createIsolatingBatch } from '../platform/shared/isolating-batch.ts';
import type { Logger } from '../platform/shared/logger.ts';
import { type EntryLookup, type StoredEntry, selectEntries } from './session-store.queries.ts';

export type ReadEntries = (wanted: EntryLookup) => Promise<readonly StoredEntry[]>;

const waitMs = 1;
const maxItems = 50;

/** Batches reads of several sessions, because every session reads its credentials after a restart. */
export const createSessionEntryLoader = ({
  db,
  logger,
}: {
  db: Database;
  logger: Pick<Logger, 'warn'>;
}): ReadEntries =>
  createIsolatingBatch<EntryLookup, readonly StoredEntry[]>({
    waitMs,
    maxItems,
    runBatch: (all) => selectEntries(db, all),
    groupOf: ({ deviceId }) => deviceId,
    runOne: readEntriesUnbatched(db),
    logger,
    failure: 'a batch of session entries could not be read',
  });

export const readEntriesUnbatched =
  (db: Database): ReadEntries =>
  async (wanted) => {
    const [own = []] = await selectEntries(db, [wanted]);
    return own;
  };
