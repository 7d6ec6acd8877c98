import { type SqlBool, sql } from 'kysely';
import { hasDevice, isDeviceRestricted, joinDevice } from '../../devices/devices.sql.ts';
import { startedDevices } from '../../devices/hosting.sql.ts';
import { hasValidLease } from '../../devices/leases.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { lockTimeout100ms } from '../../platform/database/lock-timeout.ts';
import { prepare } from '../../platform/database/prepare.ts';
import type { MessageChoices, MessageTemplate } from '../../ports/messaging-network/messaging-network.ts';
import { networksThatSendOnce } from '../../ports/messaging-network/supported-content.ts';
import { refundActiveMessages, withFreeMonths } from '../../tenancy/usage/usage.sql.ts';
import { isOptedOut } from '../consents/consents.sql.ts';
import type { Failure } from './delivery-status.queries.ts';
import { hasWritten } from './messages.sql.ts';

export interface ClaimedRow {
  id: string;
  device_id: string;
  team_id: string;
  contact_number: string;
  kind: 'text' | 'image' | 'voice' | 'document';
  origin: string;
  text: string;
  network_id: string;
  request_id: string | null;
  /** Includes this attempt. Fences writes about it, except successful delivery statuses. */
  attempts: number;
  has_more: boolean;
  /** The contact wrote to the device. Known only while the device is restricted. */
  to_known_contact: boolean;
  /** The contact wants no active messages. The message is not an attempt, and must be refused. */
  opted_out: boolean;
  /** See `networksThatSendOnce`. */
  sends_once: boolean;
  /** Null: it is not known here. */
  network: string | null;
  template: MessageTemplate | null;
  choices: MessageChoices | null;
}

/** Has either `bytes` or a `file_key`. */
export interface MediaRow {
  message_id: string;
  kind: 'image' | 'voice' | 'document';
  mime_type: string;
  bytes: Buffer | null;
  file_key: string | null;
  file_name: string | null;
  seconds: number | null;
  waveform: Buffer | null;
}

/** Seconds before each retry of a message whose outcome is unknown. */
export const retryDelays: readonly number[] = [2, 15, 60];

/** Longer than a pool reads the files of a message and waits for the acknowledgements of its parts, 8 s and 15 s each. */
const claimDuration = sql`case when m.kind = 'text' then interval '30 seconds' else interval '60 seconds' end`;
/** Retries of an unknown outcome end this long after the first attempt. */
const retryWindow = sql`interval '10 minutes'`;
const maxUnsentAge = sql`interval '24 hours'`;

const sendsOnce = (device: string) =>
  sql<SqlBool>`(${sql.ref(`${device}.network`)} = any(${networksThatSendOnce}::text[])) is true`;

/** True if the message has no attempts left, even if a pool died during each. */
const hasNoAttemptsLeft = (message: string, device: string) => sql`
  (${sql.ref(`${message}.attempts`)} > case when ${sendsOnce(device)} then 0 else ${retryDelays.length} end
   or coalesce(${sql.ref(`${message}.handed_off_at`)} <= now() - ${retryWindow}, false))`;

const isFree = (message: string, owner: string) => sql`
  (not ${hasNoAttemptsLeft(message, owner)} and (
     ${sql.ref(`${message}.claimed_until`)} is null or ${sql.ref(`${message}.claimed_until`)} <= now()
     or ${sql.ref(`${message}.claim_epoch`)} < ${sql.ref(`${owner}.epoch`)}))`;

const isRestricted = sql`d.new_chats_restricted_until > now()`;

/** How many messages of a device may be claimed, and how many of them with media. */
export interface ClaimRoom {
  deviceId: string;
  room: number;
  mediaRoom: number;
}

/** The oldest unsettled messages of their chats on the device `d`, as far as they are due. */
const dueMessages = (kind: ReturnType<typeof sql>) => sql`
  select o.id, o.seq, o.origin = 'api' and ${isOptedOut(sql`o.team_id`, sql`o.contact_number`)} as opted_out from messages o
  where o.device_id = d.id and o.direction = 'out' and o.status = 'accepted' and ${kind} and o.next_attempt_at <= now()
    and ${isFree('o', 'd')}
    and (${isRestricted} is not true or ${hasWritten('o.device_id', 'o.contact_number')})
    and not exists (
      select from messages earlier
      where earlier.device_id = o.device_id and earlier.direction = 'out' and earlier.status = 'accepted'
        and earlier.contact_number = o.contact_number and earlier.seq < o.seq)
  order by o.seq`;

const dueClaim = prepare<
  { poolId: string; deviceIds: readonly string[]; rooms: readonly number[]; mediaRooms: readonly number[] },
  ClaimedRow
>(
  (value) => sql`
    with due as (
      select m.id, d.id as device_id, d.epoch, d.network, coalesce(${isRestricted}, false) as to_known_contact, m.opted_out
      from unnest((select ${value('deviceIds')}::uuid[]), (select ${value('rooms')}::int[]),
                  (select ${value('mediaRooms')}::int[])) as up (device_id, room, media_room)
      join devices d on d.id = up.device_id and d.pool_id = ${value('poolId')} and d.status = 'started'
      cross join lateral (
        select * from (
          ${dueMessages(sql`o.kind = 'text'`)} limit up.room for update of o skip locked
        ) texts
        union all
        select * from (
          ${dueMessages(sql`o.kind <> 'text'`)} limit up.media_room for update of o skip locked
        ) media
        order by seq limit up.room
      ) m
    ), owned as (
      select id, epoch from devices
      where id in (select device_id from due) and pool_id = ${value('poolId')} and status = 'started'
        and ${hasValidLease(sql`${value('poolId')}`)}
      for key share skip locked
    )
    update messages m set claim_epoch = due.epoch, claimed_until = now() + ${claimDuration},
                          attempts = m.attempts + case when due.opted_out then 0 else 1 end,
                          handed_off_at = coalesce(m.handed_off_at, case when due.opted_out then null else now() end)
    from due join owned on owned.id = due.device_id and owned.epoch = due.epoch where m.id = due.id
    returning m.id, m.device_id, m.team_id, m.contact_number, m.kind, m.origin, m.text, m.network_id, m.request_id, m.attempts,
              m.template, m.choices, due.network,
              due.to_known_contact, due.opted_out, ${sendsOnce('due')} as sends_once, exists (
      select from messages o where o.device_id = m.device_id and o.direction = 'out' and o.status = 'accepted'
        and o.next_attempt_at <= now() and ${isFree('o', 'due')} and o.id not in (select id from due)) as has_more`,
);

/**
 * Claims the oldest unsettled message of each chat if it is due, up to the room of its device. That keeps the order of a chat.
 * Requires a valid lease, ignores claims of earlier owners and skips locked devices. A takeover waits for this statement.
 */
export const claimDue = (
  db: Database,
  poolId: string,
  devices: readonly ClaimRoom[],
): Promise<ClaimedRow[]> =>
  dueClaim(db, {
    poolId,
    deviceIds: devices.map(({ deviceId }) => deviceId),
    rooms: devices.map(({ room }) => room),
    mediaRooms: devices.map(({ mediaRoom }) => mediaRoom),
  });

/** Includes devices whose due messages are already claimed. */
export async function selectDueDevices(db: Database, poolId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from ${startedDevices(poolId)} and d.id in (
      select o.device_id from messages o
      where o.direction = 'out' and o.status = 'accepted' and o.next_attempt_at <= now())`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns a message that was handed to the network at least once. */
export async function selectSent(
  db: Database,
  deviceId: string,
  id: string,
): Promise<ClaimedRow | undefined> {
  const { rows } = await sql<ClaimedRow>`
    select id, device_id, team_id, contact_number, kind, origin, text, network_id, request_id, attempts, template, choices,
           null as network,
           false as has_more, false as to_known_contact, false as opted_out, false as sends_once
    from messages where id = ${id} and device_id = ${deviceId} and direction = 'out' and attempts > 0
      and status <> 'refused'`.execute(db);
  return rows[0];
}

export async function selectMedia(db: Database, messageIds: readonly string[]): Promise<MediaRow[]> {
  const { rows } = await sql<MediaRow>`
    select message_id, kind, mime_type, bytes, file_key, file_name, seconds, waveform from message_media
    where message_id = any(${messageIds}::uuid[]) order by message_id, position`.execute(db);
  return rows;
}

/** Watched by record_message_statuses. */
export async function markRefused(
  db: Database,
  message: { id: string; attempts: number },
  { reason, code }: Failure,
): Promise<void> {
  await sql`
    with settled as (
      update messages set status = 'refused', failure = ${reason}, failure_code = ${code}::int, claimed_until = null,
                          refunded = charged_month is not null
      from ${lockTimeout100ms}
      where id = ${message.id} and attempts = ${message.attempts} and status = 'accepted' and not refunded
      returning team_id, charged_month
    ), refunded as (${refundActiveMessages} returning u.team_id)
    select from refunded`.execute(db);
}

/**
 * Ends claimed messages to contacts who opted out. Refunds those without an attempt. Those with one may have arrived.
 * Watched by record_message_statuses.
 */
export async function markOptedOut(db: Database, id: string): Promise<void> {
  await sql`
    with settled as (
      update messages set claimed_until = null, failure = 'recipient_opted_out',
        status = case when attempts = 0 then 'refused' else 'unknown' end,
        refunded = attempts = 0 and charged_month is not null
      from ${lockTimeout100ms}
      where id = ${id} and status = 'accepted'
      returning team_id, case when attempts = 0 then charged_month end as charged_month
    ), refunded as (${refundActiveMessages} returning u.team_id)
    select from refunded`.execute(db);
}

/**
 * Returns a message that only a restriction of the device prevented to the outbox. The claim skips it until the restriction
 * ends, unless the contact has written. Returns false if the message must not wait.
 */
export async function returnRestricted(
  db: Database,
  message: { id: string; attempts: number },
): Promise<boolean> {
  const { rows } = await sql`
    update messages m set claimed_until = null, next_attempt_at = now() + interval '2 seconds',
      attempts = case when held_when_restricted then m.attempts - 1 else m.attempts end,
      handed_off_at = case when held_when_restricted and m.attempts = 1 then null else handed_off_at end
    from ${lockTimeout100ms}
    where id = ${message.id} and attempts = ${message.attempts} and status = 'accepted'
      and (held_when_restricted or m.attempts <= ${retryDelays.length} and ${hasWritten('m.device_id', 'm.contact_number')})
    returning id`.execute(db);
  return rows.length > 0;
}

/** Returns a message to the outbox that was not given to the network, or that the network did not take. The attempt does not count. */
export async function returnUnsent(
  db: Database,
  message: { id: string; attempts: number },
  seconds: number,
): Promise<void> {
  await sql`
    update messages m set claimed_until = null, next_attempt_at = now() + make_interval(secs => ${seconds}), attempts = m.attempts - 1,
      handed_off_at = case when m.attempts > 1 then handed_off_at end
    from ${lockTimeout100ms}
    where id = ${message.id} and attempts = ${message.attempts} and status = 'accepted'`.execute(db);
}

/** Watched by record_message_statuses. */
export async function markUnknown(
  db: Database,
  message: { id: string; attempts: number },
  { reason, code }: Failure,
): Promise<void> {
  await sql`
    update messages set status = 'unknown', failure = ${reason}, failure_code = ${code}::int, claimed_until = null
    from ${lockTimeout100ms}
    where id = ${message.id} and attempts = ${message.attempts} and status = 'accepted'`.execute(db);
}

export async function postpone(
  db: Database,
  message: { id: string; attempts: number },
  seconds: number,
): Promise<void> {
  await sql`
    update messages set claimed_until = null, next_attempt_at = now() + make_interval(secs => ${seconds})
    from ${lockTimeout100ms}
    where id = ${message.id} and attempts = ${message.attempts} and status = 'accepted'`.execute(db);
}

/**
 * Marks messages as unknown that have no attempts left, for example because their pools died.
 * Watched by record_message_statuses.
 */
export async function markRetriesEnded(db: Database, poolId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update messages set status = 'unknown', failure = 'retries_ended', claimed_until = null
    where id in (
      select m.id from messages m ${joinDevice('m.device_id')}
      where d.pool_id = ${poolId} and m.direction = 'out' and m.status = 'accepted' and ${hasNoAttemptsLeft('m', 'd')}
        and (m.claimed_until is null or m.claimed_until <= now())
      for no key update of m skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Refuses and refunds messages that are too old and were never attempted. Skips messages with a locked row or month.
 * Watched by record_message_statuses.
 */
export async function refuseUnsent(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with settled as (
      update messages set status = 'refused', failure = 'not_sent_in_time', refunded = charged_month is not null
      where id in (${withFreeMonths(sql`
        select m.id, m.team_id, m.charged_month from messages m
        where m.direction = 'out' and m.status = 'accepted' and m.attempts = 0
          and m.created_at <= now() - ${maxUnsentAge} and not (m.held_when_restricted and ${isDeviceRestricted('m.device_id')})
        order by m.id limit 1000 for no key update of m skip locked`)})
      returning id, team_id, charged_month
    ), refunded as (${refundActiveMessages} returning u.team_id)
    select id from settled`.execute(db);
  return rows.map(({ id }) => id);
}

/** Watched by record_message_statuses. */
const endMessages = (which: ReturnType<typeof sql>) => sql`
  with settled as (
    update messages m set claimed_until = null, failure = 'device_deleted',
      status = case when attempts = 0 then 'refused' else 'unknown' end,
      refunded = attempts = 0 and charged_month is not null
    where m.id in (${which})
    returning m.id, m.team_id, case when m.attempts = 0 then m.charged_month end as charged_month
  ), refunded as (${refundActiveMessages} returning u.team_id)
  select id from settled`;

/** Refunds only messages that were never attempted. */
export async function endMessagesOfDevice(tx: Transaction, deviceId: string): Promise<void> {
  await endMessages(sql`
    select id from messages where device_id = ${deviceId} and direction = 'out' and status = 'accepted'
    order by id for no key update`).execute(tx);
}

export async function endOrphanedMessages(db: Database): Promise<void> {
  await endMessages(
    withFreeMonths(sql`
      select m.id, m.team_id, m.charged_month from messages m
      where m.direction = 'out' and m.status = 'accepted' and m.created_at < now() - interval '1 minute'
        and not ${hasDevice('m.device_id')}
      for no key update of m skip locked`),
  ).execute(db);
}

export interface NewOutboundRow {
  id: string;
  teamId: string;
  deviceId: string;
  contactNumber: string;
  origin: 'bot' | 'person';
  kind: 'text' | 'image' | 'voice' | 'document';
  text: string;
  /** Of the file of a person. */
  mimeType: string | null;
  networkId: string;
  answerId: string | null;
  requestId: string | null;
}

/** Watched by record_message_event. */
const unchargedInserted = prepare<
  { [Column in keyof NewOutboundRow]: readonly NewOutboundRow[Column][] },
  object
>(
  (value) => sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, mime_type, network_id, status,
                          answer_id, request_id)
    select part.id, part.team_id, part.device_id, part.contact_number, 'out', part.origin, part.kind, part.text,
           part.mime_type, part.network_id, 'accepted', part.answer_id, part.request_id
    from unnest(${value('id')}::uuid[], ${value('teamId')}::uuid[], ${value('deviceId')}::uuid[],
                ${value('contactNumber')}::text[], ${value('origin')}::text[], ${value('kind')}::text[],
                ${value('text')}::text[], ${value('mimeType')}::text[], ${value('networkId')}::text[],
                ${value('answerId')}::uuid[], ${value('requestId')}::text[])
           with ordinality as part (id, team_id, device_id, contact_number, origin, kind, text, mime_type, network_id,
                                    answer_id, request_id, position)
    order by part.position`,
);

/** Inserts the messages in sending order. */
export async function insertUncharged(tx: Transaction, rows: readonly NewOutboundRow[]): Promise<void> {
  await unchargedInserted(tx, {
    id: rows.map(({ id }) => id),
    teamId: rows.map(({ teamId }) => teamId),
    deviceId: rows.map(({ deviceId }) => deviceId),
    contactNumber: rows.map(({ contactNumber }) => contactNumber),
    origin: rows.map(({ origin }) => origin),
    kind: rows.map(({ kind }) => kind),
    text: rows.map(({ text }) => text),
    mimeType: rows.map(({ mimeType }) => mimeType),
    networkId: rows.map(({ networkId }) => networkId),
    answerId: rows.map(({ answerId }) => answerId),
    requestId: rows.map(({ requestId }) => requestId),
  });
}
