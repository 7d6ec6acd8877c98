import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  type ContactOf,
  deleteRowsOfTeam,
  type Expired,
  isOfContact,
} from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { type MessageDetails, wordlessTypes } from '../../ports/messaging-network/messaging-network.ts';
import { bytesOf } from './message-media.sql.ts';

/** Needs `messages m`. The chat has `device_id` and `contact_number`. */
export const isInChat = (chat: string) => sql<SqlBool>`
  m.device_id = ${sql.ref(`${chat}.device_id`)} and m.contact_number = ${sql.ref(`${chat}.contact_number`)}`;

export const hasMessages = (chat: string) =>
  sql<SqlBool>`exists (select from messages m where ${isInChat(chat)})`;

const isUnanswered = sql<SqlBool>`m.direction = 'in' and m.status = 'received'`;

export const joinUnanswered = (chat: string) => sql`join messages m on ${isInChat(chat)} and ${isUnanswered}`;

/** `except` is an array of message ids to ignore. */
export const hasUnanswered = (chat: string, except?: RawBuilder<unknown>) => sql<SqlBool>`exists (
  select from messages m
  where ${isInChat(chat)} and ${isUnanswered}${except === undefined ? sql`` : sql` and m.id <> all(${except})`})`;

/** True if the contact wrote to the device. Arguments are column names. */
export const hasWritten = (deviceId: string, contact: string) => sql<SqlBool>`exists (
  select from messages received
  where received.device_id = ${sql.ref(deviceId)} and received.contact_number = ${sql.ref(contact)}
    and received.direction = 'in')`;

/**
 * When the window in which a network takes every message closes: 24 hours after the contact last wrote. Null: the contact never
 * wrote. A network may deliver messages out of order. Arguments are column names.
 */
export const windowEnd = (deviceId: string, contact: string) => sql<Date | null>`(
  select max(latest.sent_at) + interval '24 hours' from (
    select received.sent_at from messages received
    where received.device_id = ${sql.ref(deviceId)} and received.contact_number = ${sql.ref(contact)}
      and received.direction = 'in' order by received.seq desc limit 50) latest)`;

/** The latest messages of a chat with their times, as a JSON array, oldest first. */
export const recentMessages = (chat: string, limit: number) => sql`
  select json_agg(json_build_object('direction', m.direction, 'text', left(m.text, 500),
                                    'atMs', extract(epoch from m.created_at)::float8 * 1000) order by m.seq)
  from (select direction, text, created_at, seq from messages
        where device_id = ${sql.ref(`${chat}.device_id`)} and contact_number = ${sql.ref(`${chat}.contact_number`)}
          and direction in ('in', 'out')
        order by seq desc limit ${sql.lit(limit)}) m`;

/** When the bot last wrote in a conversation, without messages that were refused, or null. */
export const lastAnswerAt = (conversations: string) => sql`(
  select sent.created_at from messages sent
  where sent.device_id = ${sql.ref(`${conversations}.device_id`)}
    and sent.contact_number = ${sql.ref(`${conversations}.contact_number`)} and sent.direction = 'out'
    and sent.origin = 'bot' and sent.status <> 'refused'
  order by sent.seq desc limit 1)`;

const maxAnsweredTogether = 50;

const withdrawn = (message: string) => sql`
  case when ${sql.ref(message)}.details -> 'deleted' is not null then 'deleted'
       when ${sql.ref(message)}.details -> 'corrected' is not null then 'corrected' end`;

/** A withdrawn text stays in the database. */
export const words = (message: string) => sql`
  case when ${withdrawn(message)} is not null then ''
       when ${sql.ref(message)}.details ->> 'type' = 'edit' then regexp_replace(${sql.ref(`${message}.text`)}, '^\\[edited\\] ?', '')
       else ${sql.ref(`${message}.text`)} end`;

const longestQuote = 500;

/** The message that `m` replies to. `details.quoted` describes one that is not stored. */
const quoted = sql`
  case when m.details ?| array['replyToId', 'quoted'] then coalesce(
    (select json_build_object('from', case q.direction when 'in' then 'contact' else 'business' end, 'kind', q.kind,
                              'text', left(${words('q')}, ${longestQuote}))
     from messages q where q.id = (m.details ->> 'replyToId')::uuid),
    json_build_object('from', 'unknown', 'kind', coalesce(m.details #>> '{quoted,kind}', 'text'),
                      'text', left(coalesce(m.details #>> '{quoted,text}', ''), ${longestQuote}))) end`;

/** What a bot may know of the text of `m`. */
const spokenColumns = sql`${words('m')} as text, ${withdrawn('m')} as withdrawn, ${quoted} as quoted`;

const sentMs = sql`extract(epoch from coalesce(m.sent_at, m.created_at))::float8 * 1000`;

/** The contact's newest message that got an answer. */
export const latestAnsweredMessage = (chat: string) => sql`
  select m.answer_id, ${sentMs} as "sentMs" from messages m
  where ${isInChat(chat)} and m.direction = 'in' and m.status = 'answered' and m.answer_id is not null
  order by m.seq desc limit 1`;

export const unansweredMessages = (chat: string) => sql`
  select m.id, m.kind, m.mime_type as "mimeType", ${sentMs} as "sentMs", m.seq, ${spokenColumns},
         extract(epoch from m.created_at)::float8 * 1000 - ${sentMs} as "lateMs" from messages m
  where ${isInChat(chat)} and ${isUnanswered}
  order by m.seq limit ${maxAnsweredTogether}`;

const maxHistoryMessages = 20;

/** A deletion, or an edit that changed a message before its answer: the changed message itself shows it. */
export const isChange = sql<SqlBool>`(m.details ->> 'type' = 'deletion' or m.details -> 'applied' is not null) is true`;

/** Newest first. Excludes messages that are unanswered or were never answered. With `images`, those without a text count. */
export const latestMessages = (chat: string, { images = false } = {}) => sql`
  select m.id, m.direction, m.kind, m.seq, m.answer_id, ${spokenColumns} from messages m
  where ${isInChat(chat)} and not ${isChange} and (m.text <> ''${images ? sql` or m.kind = 'image' and m.direction = 'in'` : sql``}) and m.status not in ('received', 'ignored', 'refused')
  order by m.seq desc limit ${maxHistoryMessages}`;

/** Why a bot did not answer an inbound message. Stored as its `failure`. */
export type IgnoredBecause =
  | 'bot_not_published'
  | 'team_banned'
  | 'paused'
  | 'rate_limited'
  | 'deleted'
  | 'automated_contact'
  | 'contact_blocked'
  | 'too_old';

/** Watched by record_message_statuses. */
export const ignoreUnanswered = (
  chat: { deviceId: string; contactNumber: string },
  because: IgnoredBecause,
) => sql`
  update messages set status = 'ignored', failure = ${because}
  where device_id = ${chat.deviceId} and contact_number = ${chat.contactNumber} and direction = 'in'
    and status = 'received'`;

/**
 * Lets the bot answer the messages that it ignored since it or a person last wrote, except deleted ones and those of machines.
 * Watched by record_message_statuses.
 */
export async function receiveIgnored(
  tx: Transaction,
  { deviceId, contactNumber }: { deviceId: string; contactNumber: string },
): Promise<void> {
  await sql`
    update messages set status = 'received', failure = null
    where device_id = ${deviceId} and contact_number = ${contactNumber} and direction = 'in' and status = 'ignored'
      and failure in ('bot_not_published', 'team_banned', 'paused', 'rate_limited')
      and seq > coalesce((
        select max(seq) from messages
        where device_id = ${deviceId} and contact_number = ${contactNumber} and direction = 'out' and origin in ('bot', 'person')
          and details -> 'automatic' is null and (details ->> 'type' = any(${[...wordlessTypes]})) is not true), 0)`.execute(
    tx,
  );
}

export async function hasUnansweredMessages(
  tx: Transaction,
  { deviceId, contactNumber }: { deviceId: string; contactNumber: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from messages m where m.device_id = ${deviceId} and m.contact_number = ${contactNumber} and ${isUnanswered}
    limit 1`.execute(tx);
  return rows.length === 1;
}

export const oldestUnsent = sql`
  select extract(epoch from now() - min(next_attempt_at))::float8 from messages
  where direction = 'out' and status = 'accepted' and next_attempt_at <= now()`;

export async function findMessageId(
  tx: Transaction,
  chat: { deviceId: string; contactNumber: string; networkId: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from messages
    where device_id = ${chat.deviceId} and contact_number = ${chat.contactNumber} and direction in ('in', 'out')
      and network_id = ${chat.networkId}
    union all
    select id from messages
    where device_id = ${chat.deviceId} and external_id = ${chat.networkId} and contact_number = ${chat.contactNumber}
    limit 1`.execute(tx);
  return rows[0]?.id;
}

const repliesEveryMinutes = 10;

/** False if a call is ignored, or if an earlier one of the contact was answered recently. */
export async function mayReplyToCall(tx: Transaction, messageId: string): Promise<boolean> {
  const { rows } = await sql`
    select from messages call where call.id = ${messageId} and call.status <> 'ignored' and not exists (
      select from messages m
      where ${isInChat('call')} and m.direction = 'in' and m.id <> call.id and m.details ->> 'type' = 'call'
        and m.created_at > now() - make_interval(mins => ${repliesEveryMinutes}))`.execute(tx);
  return rows.length === 1;
}

/** Stores the words of an unanswered voice note, so that a retry does not transcribe it again. */
export async function storeTranscript(db: Database, messageId: string, text: string): Promise<void> {
  await sql`update messages set text = ${text} where id = ${messageId} and status = 'received'`.execute(db);
}

/** Moves a chat's messages to another contact of the device. A repeated id of the network gets a suffix. */
export async function moveMessages(
  tx: Transaction,
  deviceId: string,
  from: string,
  into: string,
): Promise<void> {
  await sql`
    update messages m set contact_number = ${into},
      network_id = case when exists (
        select from messages other
        where other.device_id = m.device_id and other.contact_number = ${into} and other.direction = m.direction
          and other.network_id = m.network_id
      ) then m.network_id || '+' || m.id else m.network_id end
    where m.device_id = ${deviceId} and m.contact_number = ${from}`.execute(tx);
}

export const deleteMessagesOfTeam = deleteRowsOfTeam('messages');

/** The answer to which a message belongs, in either direction. */
export const answerIdOfMessage = (scope: Scope, id: string) =>
  sql`select m.answer_id from messages m where m.id = ${id} and ${inScope(scope, 'm.team_id')}`;

/**
 * Returns the number of deleted messages. Their media and files go with them. Messages in the outbox stay until they are sent or
 * refused: they are charged, and one that waits for the end of a restriction may be old.
 * Watched by schedule_media_deletion.
 */
export async function deleteExpiredMessages(db: Database, expired: Expired): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with old as materialized (
      select id from messages
      where team_id = ${expired.teamId} and created_at < ${expired.before} and status <> 'accepted'
      order by created_at, id limit ${expired.limit} for update skip locked
    ), media as materialized (
      delete from message_media where message_id in (select id from old)
    ), gone as (
      delete from messages where id in (select id from old) returning 1
    )
    select count(*)::int as deleted from gone`.execute(db);
  return rows[0]?.deleted ?? 0;
}

/** Watched by schedule_media_deletion. */
export async function deleteMessagesOfContact(tx: Transaction, contact: ContactOf): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with media as (
      delete from message_media where message_id in (select m.id from messages m where ${isOfContact(contact)})
    ), gone as (delete from messages m where ${isOfContact(contact)} returning 1)
    select count(*)::int as deleted from gone`.execute(tx);
  return rows[0]?.deleted ?? 0;
}

/** Written when the message was received, and when its author changes it. */
export type StoredDetails = Omit<MessageDetails, 'about' | 'replyTo'> & {
  messageId?: string;
  replyToId?: string;
  deleted?: true;
  corrected?: true;
  applied?: true;
  originalText?: string;
};

export interface ExportedMessage {
  id: string;
  team_id: string;
  device_id: string;
  direction: 'in' | 'out';
  origin: string;
  kind: string;
  text: string;
  status: string;
  details: StoredDetails | null;
  sent_at: Date | null;
  created_at: Date;
  /** With details. Of this message and all newer ones. */
  text_bytes: string;
  media: ExportedMedium[];
}

export interface ExportedMedium {
  kind: string;
  mime_type: string;
  size: number;
  /** In base64. */
  content: string | null;
  /** Where the content is if the row does not have it. Null also without content. */
  file_key: string | null;
  /** Only because the contents of newer media take too much. */
  left_out: boolean;
}

const textBytes = sql`octet_length(m.text) + coalesce(octet_length(m.details::text), 0)`;

/**
 * Newest first. Stops after the message with which the texts take `maxTotalBytes` or more. Leaves out the contents of media over
 * `maxMediaBytes`, and the contents of older media as soon as the newer contents take `maxTotalBytes`.
 */
export async function selectMessagesOfContact(
  db: Database | Transaction,
  contact: ContactOf,
  { limit, maxMediaBytes, maxTotalBytes }: { limit: number; maxMediaBytes: number; maxTotalBytes: number },
): Promise<ExportedMessage[]> {
  const { rows } = await sql<ExportedMessage>`
    with listed as materialized (
      select * from (
        select m.id, m.team_id, m.device_id, m.direction, m.origin, m.kind, m.text, m.status, m.details,
               m.sent_at, m.created_at,
               sum(${textBytes}) over (order by m.created_at desc, m.id desc rows unbounded preceding) as text_bytes
        from messages m where ${isOfContact(contact)} order by m.created_at desc, m.id desc limit ${limit}
      ) m where text_bytes - ${textBytes} < ${maxTotalBytes}
    ), small as (
      select media.message_id, media.position, sum(${bytesOf('media')}) over (
        order by listed.created_at desc, listed.id desc, media.position) <= ${maxTotalBytes} as fits
      from listed join message_media media on media.message_id = listed.id
      where ${bytesOf('media')} <= ${maxMediaBytes}
    ), media as materialized (
      select media.message_id, json_agg(json_build_object(
        'kind', media.kind, 'mime_type', media.mime_type, 'size', ${bytesOf('media')}, 'left_out', small.fits is false,
        'content', case when small.fits then encode(media.bytes, 'base64') end,
        'file_key', case when small.fits then media.file_key end) order by media.position) as media
      from listed join message_media media on media.message_id = listed.id
      left join small using (message_id, position) group by media.message_id
    )
    select listed.*, coalesce(media.media, '[]') as media
    from listed left join media on media.message_id = listed.id
    order by listed.created_at desc, listed.id desc`.execute(db);
  return rows;
}
