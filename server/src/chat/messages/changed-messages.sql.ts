import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

export interface ChangedMessage {
  id: string;
  status: string;
  isDeleted: boolean;
}

/**
 * Returns a message of a chat, by its id of the network, and its edits that are messages of their own, oldest first. Only the
 * author of a message can change it, so `direction` is that of the change.
 */
export async function selectChangedMessages(
  tx: Transaction,
  chat: { deviceId: string; contactNumber: string; direction: 'in' | 'out'; networkId: string },
): Promise<ChangedMessage[]> {
  const { rows } = await sql<ChangedMessage>`
    select m.id, m.status, m.details -> 'deleted' is not null as "isDeleted"
    from messages target join messages m using (device_id, contact_number, direction)
    where target.device_id = ${chat.deviceId} and target.contact_number = ${chat.contactNumber}
      and target.direction = ${chat.direction} and target.network_id = ${chat.networkId} and m.seq >= target.seq
      and (m.id = target.id or m.details ->> 'type' = 'edit' and m.details ->> 'messageId' = target.id::text
                               and m.details -> 'applied' is null)
    order by m.seq`.execute(tx);
  return rows;
}

const withDetail = (name: 'deleted' | 'corrected') =>
  sql`coalesce(m.details, '{}') || ${JSON.stringify({ [name]: true })}::jsonb`;

/** With `ignore`, messages that wait for an answer get none. Watched by record_message_statuses. */
export async function markDeleted(
  tx: Transaction,
  ids: readonly string[],
  { ignore }: { ignore: boolean },
): Promise<void> {
  const ignored = sql`${ignore}::boolean and m.direction = 'in' and m.status = 'received'`;
  await sql`
    update messages m set details = ${withDetail('deleted')},
      status = case when ${ignored} then 'ignored' else m.status end,
      failure = case when ${ignored} then 'deleted' else m.failure end
    where m.id = any(${ids}::uuid[])`.execute(tx);
}

/** A later message replaces them. */
export async function markCorrected(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`update messages m set details = ${withDetail('corrected')} where m.id = any(${ids}::uuid[])`.execute(
    tx,
  );
}

/** Replaces the text of a message and keeps the first one. */
export async function replaceText(tx: Transaction, id: string, text: string): Promise<void> {
  await sql`
    update messages m set text = ${text}, details = jsonb_build_object('originalText', m.text) || coalesce(m.details, '{}')
    where m.id = ${id}`.execute(tx);
}
