import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { isPaused } from '../database/pauses.ts';
import { numberSetting } from '../database/team-terms.ts';

export interface InboundRow {
  id: string;
  deviceId: string;
  contactNumber: string;
  kind: string;
  text: string;
  mimeType: string | null;
  networkId: string;
  sentAt: Date;
}

/** Messages are answered together that come within the delay of each other, but none waits longer than so many delays. */
const longestGathering = 5;

/** A pause that began while this statement waited for the row lasts as well; who then looks at the message leaves it alone. */
const staysPaused = sql`excluded.answer_due_at is null or ${isPaused('c')}`;

/**
 * Inserts a contact's message, unless the network brought it before, and makes its conversation due; in one statement.
 * What the bot must not answer (paused, never published, team banned) is kept as ignored and makes nothing due. `held`
 * selects the device's id, locking whatever must not change meanwhile; where it selects nothing, nothing is inserted.
 * Answers the conversation, null for a message that was known.
 */
export async function insertFromContact(
  db: Database | Transaction,
  conversationId: string,
  message: InboundRow,
  held: RawBuilder<{ id: string }> = sql`select ${message.deviceId}::uuid as id`,
): Promise<{ isHeld: boolean; conversationId: string | null; due: boolean | null }> {
  const { rows } = await sql<{ isHeld: boolean; conversationId: string | null; due: boolean | null }>`
    with held as materialized (${held}), chat as (
      select d.id as device_id, d.team_id,
             make_interval(secs => ${numberSetting('reply_delay_seconds')}) as delay,
             not t.banned and b.live_version is not null and not ${isPaused('c')} as answers,
             case when c.answer_due_at is not null then (
               select m.created_at from messages m
               where m.device_id = d.id and m.contact_number = ${message.contactNumber} and m.direction = 'in'
                 and m.status = 'received'
               order by m.seq limit 1) end as waiting_since
      from held join devices d on d.id = held.id join teams t on t.id = d.team_id join bots b on b.id = d.bot_id
      left join conversations c on c.device_id = d.id and c.contact_number = ${message.contactNumber}
    ), fresh as (
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, mime_type, network_id,
                            status, sent_at)
      select ${message.id}::uuid, team_id, device_id, ${message.contactNumber}, 'in', 'contact', ${message.kind},
             ${message.text}, ${message.mimeType}, ${message.networkId},
             case when answers then 'received' else 'ignored' end, ${message.sentAt}::timestamptz
      from chat
      on conflict (device_id, contact_number, direction, network_id) do nothing
      returning id
    ), noted as (
      insert into conversations as c (id, team_id, device_id, contact_number, answer_due_at)
      select ${conversationId}::uuid, team_id, device_id, ${message.contactNumber},
             case when answers then least(now() + delay, waiting_since + delay * ${longestGathering}::int) end
      from chat, fresh
      on conflict (device_id, contact_number) do update set last_message_at = now(),
        answer_due_at = coalesce(excluded.answer_due_at, c.answer_due_at),
        state = case when ${staysPaused} then c.state else 'bot' end,
        paused_until = case when ${staysPaused} then c.paused_until end
      returning c.id, c.answer_due_at is not null as due
    )
    select exists (select from held) as "isHeld", (select id from noted) as "conversationId",
           (select due from noted) as due`.execute(db);
  return rows[0] ?? { isHeld: false, conversationId: null, due: null };
}

/**
 * Inserts what a person wrote from the linked phone and pauses the bot in that conversation, for as long as the team
 * says. False for a message that was known, ours among them.
 */
export async function insertFromPerson(
  tx: Transaction,
  conversationId: string,
  message: InboundRow,
): Promise<boolean> {
  const { rows } = await sql`
    with chat as (
      select d.id as device_id, d.team_id,
             make_interval(mins => ${numberSetting('human_takeover_minutes')}) as takeover
      from devices d join teams t on t.id = d.team_id where d.id = ${message.deviceId}
    ), fresh as (
      insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, mime_type, network_id,
                            status, sent_at)
      select ${message.id}::uuid, team_id, device_id, ${message.contactNumber}, 'out', 'person', ${message.kind},
             ${message.text}, ${message.mimeType}, ${message.networkId}, 'sent', ${message.sentAt}::timestamptz
      from chat
      on conflict (device_id, contact_number, direction, network_id) do nothing
      returning id
    )
    insert into conversations as c (id, team_id, device_id, contact_number, state, paused_until)
    select ${conversationId}::uuid, team_id, device_id, ${message.contactNumber}, 'paused', now() + takeover
    from chat, fresh
    on conflict (device_id, contact_number) do update set last_message_at = now(), state = 'paused',
      paused_until = case when c.state = 'bot' then excluded.paused_until
                          when c.paused_until is not null then greatest(c.paused_until, excluded.paused_until) end,
      answer_due_at = null
    returning c.id`.execute(tx);
  return rows.length === 1;
}
