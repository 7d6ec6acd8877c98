import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** Needs `messages m`. The chat has `device_id` and `contact_number`. */
const isInChat = (chat: string) => sql<SqlBool>`
  m.device_id = ${sql.ref(`${chat}.device_id`)} and m.contact_number = ${sql.ref(`${chat}.contact_number`)}`;

const isUnanswered = sql<SqlBool>`m.direction = 'in' and m.status = 'received'`;

export const joinUnanswered = (chat: string) => sql`join messages m on ${isInChat(chat)} and ${isUnanswered}`;

/** `except` is an array of message ids to ignore. */
export const hasUnanswered = (chat: string, except?: RawBuilder<unknown>) => sql<SqlBool>`exists (
  select from messages m
  where ${isInChat(chat)} and ${isUnanswered}${except === undefined ? sql`` : sql` and m.id <> all(${except})`})`;

const maxAnsweredTogether = 50;

export const unansweredMessages = (chat: string) => sql`
  select m.id, m.kind, m.text, m.mime_type as "mimeType", m.seq from messages m
  where ${isInChat(chat)} and ${isUnanswered}
  order by m.seq limit ${maxAnsweredTogether}`;

const maxHistoryMessages = 20;

/** Newest first. Excludes messages that are unanswered or were never answered. */
export const latestMessages = (chat: string) => sql`
  select m.direction, m.text, m.seq from messages m
  where ${isInChat(chat)} and m.text <> '' and m.status not in ('received', 'ignored', 'refused')
  order by m.seq desc limit ${maxHistoryMessages}`;

export const ignoreUnanswered = (chat: { deviceId: string; contactNumber: string }) => sql`
  update messages set status = 'ignored'
  where device_id = ${chat.deviceId} and contact_number = ${chat.contactNumber} and direction = 'in'
    and status = 'received'`;

export const oldestUnsent = sql`
  select extract(epoch from now() - min(next_attempt_at))::float8 from messages
  where direction = 'out' and status = 'accepted' and next_attempt_at <= now()`;

export async function selectAttachment(
  db: Database,
  messageId: string,
): Promise<{ mimeType: string; bytes: Buffer } | undefined> {
  const { rows } = await sql<{ mimeType: string; bytes: Buffer }>`
    select mime_type as "mimeType", bytes from message_media
    where message_id = ${messageId} order by position limit 1`.execute(db);
  return rows[0];
}

/** Returns the number of deleted media. Delete media before their messages. */
export async function deleteMediaOfTeam(db: Database, teamId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from message_media where ctid = any(array(
      select media.ctid from message_media media join messages on messages.id = media.message_id
      where messages.team_id = ${teamId} limit ${limit}))`.execute(db);
  return Number(numAffectedRows);
}

export async function deleteMessagesOfTeam(db: Database, teamId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from messages where ctid = any(array(
      select ctid from messages where team_id = ${teamId} limit ${limit}))`.execute(db);
  return Number(numAffectedRows);
}
