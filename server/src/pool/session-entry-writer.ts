import type { Ownership } from '../devices/session-state.sql.ts';
import { isConnectionLost } from '../platform/database/connection-errors.ts';
import type { Database } from '../platform/database/database.ts';
import { nullIfLocked } from '../platform/database/lock-timeout.ts';
import { createBatch } from '../platform/shared/batch.ts';
import type { GroupedRetries } from '../platform/shared/grouped-retries.ts';
import type { Logger } from '../platform/shared/logger.ts';
import { type SealedEntry, writeEntries, writeEntriesOfAll } from './session-store.queries.ts';

/** Returns false if the owner lost the device. Writes all entries or none. */
export type WriteEntries = (owner: Ownership, entries: readonly SealedEntry[]) => Promise<boolean>;

const waitMs = 1;
const maxItems = 50;
/** A new device writes hundreds of keys, which would delay the messages of others. */
const maxEntriesInBatch = 32;

/** Batches writes of several sessions, because every message advances the keys of its device. */
export function createSessionEntryWriter({
  db,
  retries,
  logger,
}: {
  db: Database;
  retries: Pick<GroupedRetries, 'run' | 'isBlocked'>;
  logger: Pick<Logger, 'warn'>;
}): WriteEntries {
  const writeAlone: WriteEntries = (owner, entries) =>
    retries.run(owner.teamId, () => nullIfLocked(() => writeEntries(db, owner, entries)));
  const batch = createBatch<{ owner: Ownership; entries: readonly SealedEntry[] }, boolean>({
    waitMs,
    maxItems,
    async run(writes) {
      try {
        const written = await writeEntriesOfAll(db, writes);
        return writes.map((_, n) => written.has(n + 1));
      } catch (error) {
        // The database may still run the statement. Repeating it later could overwrite newer keys.
        if (isConnectionLost(error)) throw error;
        logger.warn({ err: error, sessions: writes.length }, 'retrying a batch of session writes one by one');
        return writes.map(() => false);
      }
    },
  });
  return async (owner, entries) => {
    const batched = entries.length <= maxEntriesInBatch && !retries.isBlocked(owner.teamId);
    return (batched && (await batch.add({ owner, entries }))) || writeAlone(owner, entries);
  };
}
