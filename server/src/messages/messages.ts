import type { Database, Transaction } from '../database/database.ts';
import type { Actor } from '../http/actor.ts';
import { notFound } from '../http/errors.ts';
import { timestamp, toInternationalNumber } from '../http/fields.ts';
import { type MessageRow, selectMessage, selectMessages } from './messages.queries.ts';
import type { ListMessages, MessageRecord } from './messages.schemas.ts';

export async function getMessage(db: Database, actor: Actor, id: string): Promise<MessageRecord> {
  const row = await selectMessage(db, actor.scope, id);
  if (row === undefined) throw notFound('message');
  return presentMessage(row);
}

export async function getMessageInTransaction(tx: Transaction, id: string): Promise<MessageRecord> {
  const row = await selectMessage(tx, { kind: 'all' }, id);
  if (row === undefined) throw new Error(`message ${id} does not exist`);
  return presentMessage(row);
}

export async function listMessages(
  db: Database,
  { scope }: Actor,
  { contact_number: number, ...query }: ListMessages,
): Promise<{ messages: MessageRecord[]; total: number }> {
  const contact = number === undefined ? {} : { contact_number: toInternationalNumber(number) };
  const { rows, total } = await selectMessages(db, scope, { ...query, ...contact });
  return { messages: rows.map(presentMessage), total };
}

const presentMessage = (row: MessageRow): MessageRecord => ({
  id: row.id,
  team_id: row.team_id,
  device_id: row.device_id,
  contact_number: row.contact_number,
  direction: row.direction,
  origin: row.origin,
  kind: row.kind,
  text: row.text,
  status: row.status,
  ...(row.failure === null ? {} : { failure: row.failure }),
  ...(row.generation === null ? {} : { generation: row.generation }),
  refunded: row.refunded,
  ...(row.sent_at === null ? {} : { sent_at: timestamp(row.sent_at) }),
  created_at: timestamp(row.created_at),
});
