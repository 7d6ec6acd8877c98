import type { Database } from '../database/database.ts';
import { createIsolatingBatch } from '../shared/isolating-batch.ts';
import type { Logger } from '../shared/logger.ts';
import { type EntryLookup, type StoredEntry, selectEntries } from './session-store.queries.ts';

/** Reads entries of session state, sealed as they are stored. */
export type ReadEntries = (wanted: EntryLookup) => Promise<readonly StoredEntry[]>;

/** Those that come within so many milliseconds, as of all sessions that are opened together, share a statement. */
const waitMs = 1;
const maxItems = 50;

/** After a restart every session reads its credentials; those that get them together say so to the network together. */
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
    runOne: readEntriesUnbatched(db),
    logger,
    failure: 'the state of sessions could not be read together',
  });

/** Reads with a statement for each device. */
export const readEntriesUnbatched =
  (db: Database): ReadEntries =>
  async (wanted) => {
    const [own = []] = await selectEntries(db, [wanted]);
    return own;
  };
