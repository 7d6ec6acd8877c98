import type { Database } from '../database/database.ts';
import { createBatch } from '../shared/batch.ts';
import { type EntriesWanted, type StoredEntry, selectEntries } from './session-store.queries.ts';

/** Reads entries of session state, sealed as they are stored. */
export type ReadEntries = (wanted: EntriesWanted) => Promise<readonly StoredEntry[]>;

/** Those that come within so many milliseconds, as of all sessions that are opened together, share a statement. */
const waitMs = 1;
const maxItems = 50;

/** After a restart every session reads its credentials; those that get them together say so to the network together. */
export function createEntryReader(db: Database): ReadEntries {
  const readOne = async (wanted: EntriesWanted): Promise<readonly StoredEntry[]> => {
    const [own = []] = await selectEntries(db, [wanted]);
    return own;
  };
  const batch = createBatch<EntriesWanted, () => Promise<readonly StoredEntry[]>>({
    waitMs,
    maxItems,
    run: async (all) => {
      const read = await selectEntries(db, all).catch(() => []);
      // What fails because of one is no concern of the others: each then tries by itself.
      return all.map((wanted, n) => async () => read[n] ?? readOne(wanted));
    },
  });
  return async (wanted) => {
    const finish = await batch.add(wanted);
    return finish();
  };
}
