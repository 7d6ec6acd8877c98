import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import {
  type Picture,
  personOf,
  pictureOf,
  presentMembers,
  type ShownPerson,
} from '../../tenancy/members/members.sql.ts';
import { teamsWithPlans, textSetting } from '../../tenancy/teams/teams.sql.ts';
import type { Hours } from '../hours/hours.schemas.ts';

export interface Chat {
  deviceId: string;
  contact: string;
}

export interface ChatMessage {
  id: string;
  seq: number;
  direction: 'in' | 'out';
  origin: string;
  kind: 'text' | 'image' | 'voice' | 'document';
  text: string;
  mime_type: string | null;
  network_id: string;
  /** An earlier message is still on its way, so that the chat has to be read again from here. */
  is_open: boolean;
  is_visible: boolean;
  at: string;
}

export interface ChatState {
  typing: boolean;
  /** The contact asked for a person, and none has written since. */
  waits_for_person: boolean;
  person: ShownPerson | null;
  /** A person has read the messages until then. */
  read_at: string | null;
}

/** Who could answer a chat that waits for a person. Null for other chats. */
export interface Staff {
  hours: Hours | null;
  timezone: string;
  is_present: boolean;
}

type SelectedChat = ChatState & { staff: Staff | null; messages: ChatMessage[] };

const pageSize = 100;

/**
 * The messages of chats after the positions, oldest first. A transaction may commit later than one with a higher position, so
 * recent messages stay open.
 */
export async function selectChats(
  db: Database,
  chats: readonly (Chat & { after: number })[],
): Promise<SelectedChat[]> {
  const { rows } = await sql<SelectedChat & { position: number }>`
    select asked.position, coalesce(c.claimed_until > now() or c.answer_due_at <= now() + interval '30 seconds', false) as typing,
           coalesce(c.flag = 'human_requested', false) as waits_for_person,
           ${personOf(sql`c.assignee_id`)} as person, to_json(c.read_at) as read_at,
           case when c.flag = 'human_requested' then (
             select jsonb_build_object('hours', nullif(h.hours, 'null'), 'timezone', ${textSetting('timezone')},
                                       'is_present', exists (${presentMembers(sql`t.id`)}))
             from ${teamsWithPlans} left join opening_hours h on h.team_id = t.id where t.id = c.team_id) end as staff,
           coalesce(found.messages, '[]') as messages
    from unnest(${chats.map(({ deviceId }) => deviceId)}::uuid[], ${chats.map(({ contact }) => contact)}::text[],
                ${chats.map(({ after }) => after)}::bigint[]) with ordinality as asked (device_id, contact, after, position)
    left join conversations c on c.device_id = asked.device_id and c.contact_number = asked.contact
    cross join lateral (
      select json_agg(m order by m.seq) as messages from (
        select id, seq, direction, origin, kind, text, mime_type, network_id, created_at as at,
               direction = 'out' and status = 'accepted' or created_at > now() - interval '10 seconds' as is_open,
               direction = 'in' or status in ('sent', 'delivered', 'read') as is_visible
        from messages where device_id = asked.device_id and contact_number = asked.contact and seq > asked.after
        order by seq limit ${pageSize}) m
    ) found order by asked.position`.execute(db);
  return rows;
}

/** The position before the newest messages, from which a page shows the chat. */
export async function selectStart(db: Database, { deviceId, contact }: Chat): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select seq from messages where device_id = ${deviceId} and contact_number = ${contact}
    order by seq desc offset ${pageSize - 1} limit 1`.execute(db);
  return (rows[0]?.seq ?? 1) - 1;
}

/** Returns those of the messages that the visitor got. */
export async function selectOwnMessages(
  db: Database,
  { deviceId, contact }: Chat,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from messages where id = any(${ids}::uuid[]) and device_id = ${deviceId} and contact_number = ${contact}
      and direction = 'out'`.execute(db);
  return rows.map(({ id }) => id);
}

export async function selectChatMedium(
  db: Database,
  { deviceId, contact }: Chat,
  messageId: string,
): Promise<{ bytes: Buffer | null; fileKey: string | null; mimeType: string } | undefined> {
  const { rows } = await sql<{ bytes: Buffer | null; fileKey: string | null; mimeType: string }>`
    select media.bytes, media.file_key as "fileKey", media.mime_type as "mimeType"
    from messages m join message_media media on media.message_id = m.id
    where m.id = ${messageId} and m.device_id = ${deviceId} and m.contact_number = ${contact}
    order by media.position limit 1`.execute(db);
  return rows[0];
}

/** Returns a picture that the visitor may see: of the person who takes care of the chat, or undefined. */
export async function selectPicture(
  db: Database,
  { deviceId, contact }: Chat,
  userId: string,
): Promise<Picture | undefined> {
  const { rows } = await sql<Picture>`
    select picture.* from conversations c cross join lateral (${pictureOf(sql`c.assignee_id`)}) picture
    where c.device_id = ${deviceId} and c.contact_number = ${contact} and c.assignee_id = ${userId}`.execute(
    db,
  );
  return rows[0];
}
