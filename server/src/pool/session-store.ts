import { sealedSessions } from '../devices/device-sessions.sql.ts';
import type { Ownership } from '../devices/session-state.sql.ts';
import type { Database } from '../platform/database/database.ts';
import type { Encryption } from '../platform/shared/encryption.ts';
import { faultPoint } from '../platform/shared/fault-points.ts';
import {
  NotOwner,
  type SessionEntry,
  type SessionStore,
} from '../ports/messaging-network/messaging-network.ts';
import { type ReadEntries, readEntriesUnbatched } from './session-entry-loader.ts';
import type { WriteEntries } from './session-entry-writer.ts';
import { type SealedEntry, writeEntriesForUnlink } from './session-store.queries.ts';

export interface StoreDeps {
  readEntries: ReadEntries;
  writeEntries: WriteEntries;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}

/** Stores a device's session state, sealed. Writes throw `NotOwner` unless the pool owns the device. */
export const createOwnedStore = (deps: StoreDeps, owner: Ownership): SessionStore =>
  createStore(deps, owner.deviceId, (entries) => deps.writeEntries(owner, entries));

/** Stores the state of a device that is being unlinked. Writes need the claim on its external cleanup. */
export const createUnlinkStore = (
  deps: Pick<StoreDeps, 'encryption'> & { db: Database },
  pending: { id: string; ref: string; attempts: number },
): SessionStore =>
  createStore({ ...deps, readEntries: readEntriesUnbatched(deps.db) }, pending.ref, (entries) =>
    writeEntriesForUnlink(deps.db, pending, entries),
  );

function createStore(
  { readEntries, encryption }: Omit<StoreDeps, 'writeEntries'>,
  deviceId: string,
  writeFenced: (entries: readonly SealedEntry[]) => Promise<boolean>,
): SessionStore {
  const context = (kind: string, id: string) => sealedSessions.context(deviceId, kind, id);
  return {
    async read(kind, ids) {
      const rows = await readEntries({ deviceId, kind, ids });
      return new Map(
        rows.map((row) => [row.entry_id, encryption.open(row.value_sealed, context(kind, row.entry_id))]),
      );
    },
    async write(entries) {
      const sealed = lastOfEach(entries).map(({ kind, id, value }) => ({
        kind,
        id,
        sealed: value === null ? null : encryption.seal(value, context(kind, id)),
      }));
      if (!(await writeFenced(sealed))) throw new NotOwner(deviceId);
      faultPoint('session.after_store');
    },
  };
}

/** Keeps the last write of each entry, because one statement cannot write a row twice. */
const lastOfEach = (entries: readonly SessionEntry[]): SessionEntry[] => [
  ...new Map(entries.map((entry) => [`${entry.kind}\n${entry.id}`, entry])).values(),
];
