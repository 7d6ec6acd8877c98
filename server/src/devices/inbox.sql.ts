import { sql } from 'kysely';
import { type ContactOf, type Expired, isOfContact } from '../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { lockTimeout100ms } from '../platform/database/lock-timeout.ts';
import { prepare } from '../platform/database/prepare.ts';
import { toStorableText } from '../platform/shared/storable-text.ts';

/** What a network pushed about one device. */
export interface PushedEvent {
  deviceId: string;
  teamId: string;
  /** The network's id of the event, unique for the device. A repeated event is stored once. */
  key: string;
  /** Whom it is about, for erasure. */
  contact: string | null;
  payload: object;
  bytes: Uint8Array | null;
}

/** A deleted device stores nothing. */
const insertEvents = prepare<
  {
    deviceIds: string[];
    keys: string[];
    contacts: (string | null)[];
    payloads: string[];
    bytes: (Uint8Array | null)[];
  },
  object
>(
  (value) => sql`
    insert into network_inbox (device_id, team_id, event_key, contact_number, payload, bytes)
    select d.id, d.team_id, event.event_key, event.contact, event.payload, event.bytes
    from ${lockTimeout100ms},
         unnest((select ${value('deviceIds')}::uuid[]), (select ${value('keys')}::text[]), (select ${value('contacts')}::text[]),
                (select ${value('payloads')}::jsonb[]), (select ${value('bytes')}::bytea[]))
           with ordinality as event (device_id, event_key, contact, payload, bytes, position)
    join devices d on d.id = event.device_id order by event.position
    on conflict do nothing`,
);

export async function insertPushed(db: Database, events: readonly PushedEvent[]): Promise<void> {
  await insertEvents(db, {
    deviceIds: events.map(({ deviceId }) => deviceId),
    keys: events.map(({ key }) => toStorableText(key)),
    contacts: events.map(({ contact }) => contact && toStorableText(contact)),
    // Otherwise the network would push the event forever.
    payloads: events.map(({ payload }) => JSON.stringify(payload, toStorableValue)),
    bytes: events.map(({ bytes }) => bytes),
  });
}

const toStorableValue = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? toStorableText(value) : value;

export interface PendingEvent {
  event_key: string;
  payload: object;
  bytes: Buffer | null;
}

/** The oldest events of the device. Files follow in later pages, so that a page fits into memory. */
export async function selectPending(db: Database, deviceId: string): Promise<PendingEvent[]> {
  const { rows } = await sql<PendingEvent>`
    select event_key, payload, bytes from (
      select event_key, payload, bytes, seq,
             sum(coalesce(length(bytes), 0)) over (order by seq) - coalesce(length(bytes), 0) as before
      from (select * from network_inbox where device_id = ${deviceId} and done_at is null order by seq limit 100) oldest
    ) page where before < 8000000 order by seq`.execute(db);
  return rows;
}

/** Keeps only the keys. */
export async function markDone(db: Database, deviceId: string, keys: readonly string[]): Promise<void> {
  await sql`
    update network_inbox set done_at = now(), payload = null, bytes = null, contact_number = null
    from ${lockTimeout100ms}
    where device_id = ${deviceId} and event_key = any(${keys}::text[]) and done_at is null`.execute(db);
}

/** The started devices of the pool that have events. */
export async function selectDevicesWithPending(db: Database, poolId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from devices d where pool_id = ${poolId} and status = 'started' and connected
      and exists (select from network_inbox e where e.device_id = d.id and e.done_at is null)`.execute(db);
  return rows.map(({ id }) => id);
}

export async function deletePendingOfContact(tx: Transaction, contact: ContactOf): Promise<void> {
  await sql`delete from network_inbox where done_at is null and ${isOfContact(contact)}`.execute(tx);
}

/** Of done events only the keys are left. No network repeats an event after a week. */
export async function deleteExpiredPushed(db: Database, { teamId, before, limit }: Expired): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from network_inbox where (device_id, event_key) in (
      select device_id, event_key from network_inbox
      where team_id = ${teamId} and (received_at < ${before} or done_at is not null and received_at < now() - interval '8 days')
      limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}
