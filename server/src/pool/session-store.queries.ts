import { sql } from 'kysely';
import { lockedDevice, lockedDevices, type Ownership } from '../devices/session-state.sql.ts';
import type { Database } from '../platform/database/database.ts';
import { lockedUnlink, type PendingUnlink } from '../records/external-deletions/external-deletions.sql.ts';

export interface StoredEntry {
  entry_id: string;
  value_sealed: Buffer;
}

export interface SealedEntry {
  kind: string;
  id: string;
  /** Null removes the entry. */
  sealed: Buffer | null;
}

export interface EntryLookup {
  deviceId: string;
  kind: string;
  ids: readonly string[];
}

export async function selectEntries(db: Database, all: readonly EntryLookup[]): Promise<StoredEntry[][]> {
  const wanted = all.flatMap(({ ids, ...of }, n) => ids.map((id) => ({ n, id, ...of })));
  const { rows } = await sql<StoredEntry & { n: number }>`
    select wanted.n, entry_id, s.value_sealed
    from unnest(${wanted.map(({ n }) => n)}::int[], ${wanted.map(({ deviceId }) => deviceId)}::uuid[],
                ${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ id }) => id)}::text[])
           as wanted (n, device_id, kind, entry_id)
    join device_sessions s using (device_id, kind, entry_id)`.execute(db);
  const found: StoredEntry[][] = all.map(() => []);
  for (const { n, ...entry } of rows) found[n]?.push(entry);
  return found;
}

/** Writes all entries or none. Returns false if the pool lost the device. */
export const writeEntries = (
  db: Database,
  owner: Ownership,
  entries: readonly SealedEntry[],
): Promise<boolean> => writeFenced(db, owner.deviceId, lockedDevice(owner), entries);

interface SessionWrite {
  owner: Ownership;
  entries: readonly SealedEntry[];
}

/** Returns the positions, from 1, of the writes that were stored. Skips devices that are locked or have another owner. */
export async function writeEntriesOfAll(db: Database, writes: readonly SessionWrite[]): Promise<Set<number>> {
  const all = writes.flatMap(({ entries }, n) => entries.map((entry) => ({ position: n + 1, ...entry })));
  const kept = all.filter(({ sealed }) => sealed !== null);
  const removed = all.filter(({ sealed }) => sealed === null);
  const { rows } = await sql<{ position: number }>`
    with fence as (${lockedDevices(writes.map(({ owner }) => owner))}), removed as (
      delete from device_sessions s
      using fence, unnest(${removed.map(({ position }) => position)}::int[], ${removed.map(({ kind }) => kind)}::text[],
                          ${removed.map(({ id }) => id)}::text[]) as gone (position, kind, entry_id)
      where gone.position = fence.position and s.device_id = fence.id
        and s.kind = gone.kind and s.entry_id = gone.entry_id
    ), written as (
      insert into device_sessions (device_id, kind, entry_id, value_sealed)
      select fence.id, kept.kind, kept.entry_id, kept.value_sealed
      from unnest(${kept.map(({ position }) => position)}::int[], ${kept.map(({ kind }) => kind)}::text[],
                  ${kept.map(({ id }) => id)}::text[], ${kept.map(({ sealed }) => sealed)}::bytea[])
             as kept (position, kind, entry_id, value_sealed)
      join fence on fence.position = kept.position
      on conflict (device_id, kind, entry_id) do update set value_sealed = excluded.value_sealed
    )
    select position from fence`.execute(db);
  return new Set(rows.map(({ position }) => position));
}

/** Fenced by the claim on the unlink instead of the ownership of the device. */
export const writeEntriesForUnlink = (
  db: Database,
  unlink: PendingUnlink,
  entries: readonly SealedEntry[],
): Promise<boolean> => writeFenced(db, unlink.ref, lockedUnlink(unlink), entries);

async function writeFenced(
  db: Database,
  deviceId: string,
  fence: ReturnType<typeof sql>,
  entries: readonly SealedEntry[],
): Promise<boolean> {
  const kept = entries.filter(({ sealed }) => sealed !== null);
  const removed = entries.filter(({ sealed }) => sealed === null);
  const { rows } = await sql`
    with fence as (${fence}), removed as (
      delete from device_sessions s using fence, unnest(${removed.map(({ kind }) => kind)}::text[],
                                                        ${removed.map(({ id }) => id)}::text[]) as gone (kind, entry_id)
      where s.device_id = ${deviceId} and s.kind = gone.kind and s.entry_id = gone.entry_id
    ), written as (
      insert into device_sessions (device_id, kind, entry_id, value_sealed)
      select ${deviceId}::uuid, kept.kind, kept.entry_id, kept.value_sealed
      from fence, unnest(${kept.map(({ kind }) => kind)}::text[], ${kept.map(({ id }) => id)}::text[],
                         ${kept.map(({ sealed }) => sealed)}::bytea[]) as kept (kind, entry_id, value_sealed)
      on conflict (device_id, kind, entry_id) do update set value_sealed = excluded.value_sealed
    )
    select id from fence`.execute(db);
  return rows.length === 1;
}
