import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { lockTimeout100ms } from '../../platform/database/lock-timeout.ts';
import { numberSetting } from '../../tenancy/teams/teams.sql.ts';
import { isPaused } from './conversations.sql.ts';

export interface InboundRow {
  id: string;
  conversationId: string;
  deviceId: string;
  contactNumber: string;
  contactName: string | null;
  kind: string;
  text: string;
  mimeType: string | null;
  networkId: string;
  sentAt: Date;
  /** JSON, or null. */
  details: string | null;
  /** The message joins the context of the bot, which does not answer it. */
  silent: boolean;
  /** Null: the message is stored as `rate_limited`. */
  waitSeconds: number | null;
}

/** In reply delays: an answer waits at most this long for further messages. */
const maxDelays = 5;

/** Keeps a pause that began while this statement waited for the row. */
const keepsPause = sql`excluded.answer_due_at is null or ${isPaused('c')}`;

/** `conversationId` is null for a message that is already stored or was not inserted. */
export interface InsertedRow {
  hasDeviceLock: boolean;
  isFree: boolean;
  conversationId: string | null;
  due: boolean | null;
}

const unlocked = sql`
  select c.id from arrived a
  join conversations c on c.device_id = a.device_id and c.contact_number = a.contact_number
  for no key update of c skip locked`;

/** For a transaction that has already locked the device of its single message. */
export const alreadyLocked: RawBuilder<{ position: number }> = sql`select 1 as position`;

/** Watched by record_message_event. */
const insertedMessages = sql`
  insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, mime_type, network_id,
                        status, failure, sent_at, details)
  select id, team_id, device_id, contact_number, 'in', 'contact', kind, text, mime_type, network_id,
         case when ignored_because is not null then 'ignored' when silent then 'answered' else 'received' end,
         ignored_because, sent_at, details
  from chat order by position
  on conflict (device_id, contact_number, direction, network_id) do nothing
  returning id`;

/** Watched by keep_contact and record_conversation_event. */
const upsertedConversations = sql`
  insert into conversations as c (id, team_id, device_id, contact_number, answer_due_at, flag, flagged_at)
  select conversation_id, team_id, device_id, contact_number,
         case when ignored_because is null and not silent then
           greatest(least(now() + delay, waiting_since + delay * ${maxDelays}::int), allowed_at) end,
         case when ignored_because = 'bot_not_published' then ignored_because end,
         case when ignored_because = 'bot_not_published' then now() end
  from chat join fresh using (id) order by position
  on conflict (device_id, contact_number) do update set last_message_at = now(),
    answer_due_at = coalesce(excluded.answer_due_at, c.answer_due_at),
    flag = coalesce(c.flag, excluded.flag),
    flagged_at = case when c.flag is null then excluded.flagged_at else c.flagged_at end,
    state = case when ${keepsPause} then c.state else 'bot' end,
    paused_until = case when ${keepsPause} then c.paused_until end
  returning c.id, c.device_id, c.contact_number, c.answer_due_at is not null as due`;

/** Most messages repeat the name that is known. A new contact is inserted here before keep_contact would. */
const namedContacts = sql`
  insert into contacts as k (team_id, contact_number, network_name)
  select distinct on (team_id, contact_number) team_id, contact_number, contact_name
  from chat join fresh using (id)
  where contact_name is not null and contact_name is distinct from known_name
  order by team_id, contact_number, position desc
  on conflict (team_id, contact_number) do update set network_name = excluded.network_name`;

/**
 * Inserts at most one new message per conversation and makes the conversations due, not before the rate budget allows it.
 * Stores messages that the bot must not answer as ignored. `lockedDevices` locks devices and selects the positions, from 1, of
 * their messages; only these are inserted. `skipLocked` also skips locked conversations. A lock timeout on a row that another transaction is inserting
 * fails all messages.
 */
export async function insertContactMessages(
  db: Database | Transaction,
  messages: readonly InboundRow[],
  lockedDevices: RawBuilder<{ position: number }>,
  { skipLocked }: { skipLocked: boolean },
): Promise<InsertedRow[]> {
  const column = (name: keyof InboundRow) => messages.map((message) => message[name]);
  const { rows } = await sql<InsertedRow>`
    with locked_devices as materialized (${lockedDevices}), arrived as materialized (
      select arrived.* from ${skipLocked ? sql`${lockTimeout100ms},` : sql``} unnest(
        ${column('id')}::uuid[], ${column('conversationId')}::uuid[], ${column('deviceId')}::uuid[],
        ${column('contactNumber')}::text[], ${column('contactName')}::text[], ${column('kind')}::text[], ${column('text')}::text[],
        ${column('mimeType')}::text[], ${column('networkId')}::text[], ${column('sentAt')}::timestamptz[],
        ${column('details')}::jsonb[], ${column('silent')}::boolean[], ${column('waitSeconds')}::float8[]
      ) with ordinality as arrived (id, conversation_id, device_id, contact_number, contact_name, kind, text, mime_type,
                                    network_id, sent_at, details, silent, wait_seconds, position)
    ), unlocked as materialized (${skipLocked ? unlocked : sql`select null::uuid as id`}), chat as materialized (
      select a.*, d.team_id, make_interval(secs => ${numberSetting('reply_delay_seconds')}) as delay,
             k.network_name as known_name,
             case when t.banned then 'team_banned' when k.blocked then 'contact_blocked' when b.live_version is null then 'bot_not_published'
                  when ${isPaused('c')} then 'paused' when a.wait_seconds is null then 'rate_limited' end as ignored_because,
             case when a.wait_seconds > 0 then least(
               now() + make_interval(secs => a.wait_seconds),
               case when c.claimed_until is null then c.answer_due_at end) end as allowed_at,
             case when c.answer_due_at is not null then (
               select m.created_at from messages m
               where m.device_id = d.id and m.contact_number = a.contact_number and m.direction = 'in'
                 and m.status = 'received'
               order by m.seq limit 1) end as waiting_since
      from arrived a join locked_devices using (position) join devices d on d.id = a.device_id
      join teams t on t.id = d.team_id join bots b on b.id = d.bot_id
      left join conversations c on c.device_id = a.device_id and c.contact_number = a.contact_number
      left join contacts k on k.team_id = d.team_id and k.contact_number = a.contact_number
      where ${skipLocked ? sql`c.id is null or c.id in (select id from unlocked)` : sql`true`}
    ), fresh as (${insertedMessages}), noted as (${upsertedConversations}), named as (${namedContacts})
    select exists (select from locked_devices l where l.position = a.position) as "hasDeviceLock",
           exists (select from chat where chat.id = a.id) as "isFree", noted.id as "conversationId", noted.due
    from arrived a left join noted on noted.device_id = a.device_id and noted.contact_number = a.contact_number
    order by a.position`.execute(db);
  return rows;
}

/** `quiet`: the bot goes on, and what it has to answer stays. */
interface OwnRow extends InboundRow {
  quiet: boolean;
}

/**
 * Inserts a message from the linked phone and pauses the bot unless the message is quiet. Returns false if the message is already
 * stored. Watched by keep_contact, record_conversation_event and record_message_event.
 */
export async function insertPersonMessage(tx: Transaction, message: OwnRow): Promise<boolean> {
  const pauses = sql`${!message.quiet}::boolean`;
  const { rows } = await sql`
    with chat as (
      select d.id as device_id, d.team_id,
             make_interval(mins => ${numberSetting('human_takeover_minutes')}) as takeover
      from devices d join teams t on t.id = d.team_id where d.id = ${message.deviceId}
    ), fresh as (
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, mime_type, network_id,
                            status, sent_at, details)
      select ${message.id}::uuid, team_id, device_id, ${message.contactNumber}, 'out', 'person', ${message.kind},
             ${message.text}, ${message.mimeType}, ${message.networkId}, 'sent', ${message.sentAt}::timestamptz,
             ${message.details}::jsonb
      from chat
      on conflict (device_id, contact_number, direction, network_id) do nothing
      returning id
    )
    insert into conversations as c (id, team_id, device_id, contact_number, state, paused_until)
    select ${message.conversationId}::uuid, team_id, device_id, ${message.contactNumber},
           case when ${pauses} then 'paused' else 'bot' end, case when ${pauses} then now() + takeover end
    from chat, fresh
    on conflict (device_id, contact_number) do update set
      last_message_at = case when ${pauses} then now() else c.last_message_at end,
      read_at = case when ${pauses} then now() else c.read_at end,
      state = case when ${pauses} then 'paused' else c.state end,
      flag = case when not ${pauses} then c.flag end, flag_reason = case when not ${pauses} then c.flag_reason end,
      paused_until = case when not ${pauses} then c.paused_until
                          when c.state = 'bot' then excluded.paused_until
                          when c.paused_until is not null then greatest(c.paused_until, excluded.paused_until) end,
      answer_due_at = case when not ${pauses} then c.answer_due_at end
    returning c.id`.execute(tx);
  return rows.length === 1;
}

/** The app of a business sends its greeting and its away message this soon after a message of the contact. */
const promptSeconds = 5;
/** The app greets a contact again after this time without messages. */
const greetsAgainDays = 14;

/**
 * Returns whether the app of the business sent a text by itself: within seconds of a contact's first message, before the bot or a
 * person wrote, or a text that it sent by itself before. Away messages also follow later messages, so a repeated text that follows
 * one within seconds is one, too.
 */
export async function isAutomaticText(
  tx: Transaction,
  {
    deviceId,
    contactNumber,
    text,
    sentAt,
  }: Pick<InboundRow, 'deviceId' | 'contactNumber' | 'text' | 'sentAt'>,
): Promise<boolean> {
  const sent = sql`${sentAt}::timestamptz`;
  const inChat = sql`m.device_id = ${deviceId}::uuid and m.contact_number = ${contactNumber}`;
  // The index has this expression and that of the next condition.
  const sameText = sql`m.device_id = ${deviceId}::uuid and m.origin = 'person' and m.text = ${text}
    and hashtextextended(m.text, 0) = hashtextextended(${text}, 0)`;
  const { rows } = await sql<{ isAutomatic: boolean }>`
    select exists (select from messages m where ${sameText} and (m.details -> 'automatic') is not null)
      or exists (select from messages m where ${inChat} and m.direction = 'in'
                 and m.sent_at between ${sent} - make_interval(secs => ${promptSeconds}) and ${sent} + interval '1 second')
      and (exists (select from messages m where ${sameText} and (m.details -> 'automatic') is null)
           or not exists (select from messages m where ${inChat}
                          and coalesce(m.sent_at, m.created_at) > ${sent} - make_interval(days => ${greetsAgainDays})
                          and (m.origin in ('bot', 'person') and (m.details -> 'automatic') is null
                               or m.direction = 'in' and m.sent_at < ${sent} - make_interval(secs => ${promptSeconds * 2})))
          ) as "isAutomatic"`.execute(tx);
  return rows[0]?.isAutomatic ?? false;
}
