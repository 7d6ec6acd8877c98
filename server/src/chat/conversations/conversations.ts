import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { MessageRecord } from '../messages/messages.schemas.ts';
import { hasUnansweredMessages, receiveIgnored } from '../messages/messages.sql.ts';
import { getMessageInTransaction, listMessages } from '../messages/messages.ts';
import { enqueueReplies, type SentFile } from '../messages/outbox.ts';
import { windowClosed } from '../messages/send.errors.ts';
import {
  type ConversationRow,
  type LockedConversation,
  lockConversation,
  selectConversation,
  updateClosed,
  updateDue,
  updatePaused,
  updateRead,
  updateResumed,
} from './conversations.queries.ts';
import type { Conversation, ListConversationMessages } from './conversations.schemas.ts';
import { ignoreUnansweredMessages } from './unanswered-messages.ts';

export async function getConversation(db: Database, { scope }: Actor, id: string): Promise<Conversation> {
  const conversation = await selectConversation(db, scope, id);
  if (conversation === undefined) throw notFound('conversation');
  return presentConversation(conversation);
}

export async function listConversationMessages(
  db: Database,
  actor: Actor,
  id: string,
  page: ListConversationMessages,
): Promise<{ messages: MessageRecord[]; total: number }> {
  const conversation = await selectConversation(db, actor.scope, id);
  if (conversation === undefined) throw notFound('conversation');
  const { team_id, device_id, contact_number } = conversation;
  return listMessages(db, actor, { ...page, team_id, device_id, contact_number });
}

/**
 * Sends a person's reply, uncharged, and pauses the bot for `human_takeover_minutes`. Throws `conversation_not_found` (404),
 * `team_banned`, `device_not_connected` and `window_closed` (400). The caller publishes `message-due` after the commit.
 */
export async function sendAsPerson(
  tx: Transaction,
  actor: Actor,
  id: string,
  { text, file }: { text: string; file?: SentFile },
  requestId: string,
): Promise<MessageRecord> {
  const conversation = await lockForPerson(tx, actor, id);
  if (conversation.banned) throw badRequest('team_banned', 'The team is banned; lift the ban first');
  if (!conversation.connected) {
    throw badRequest(
      'device_not_connected',
      'The device is not connected; connect it and wait until its status is connected',
    );
  }
  if (conversation.window_closed) throw windowClosed(conversation.templates);
  const { team_id: teamId, device_id: deviceId, contact_number: contactNumber } = conversation;
  const chat = { teamId, deviceId, contactNumber };
  const [messageId = ''] = await enqueueReplies(tx, {
    ...chat,
    origin: 'person',
    answerId: null,
    requestId,
    parts: [{ text, ...(file !== undefined && { file }) }],
  });
  await ignoreUnansweredMessages(tx, chat);
  await updatePaused(tx, id, { minutes: conversation.takeover_minutes, hasNewMessage: true });
  return getMessageInTransaction(tx, messageId);
}

export async function markConversationRead(tx: Transaction, actor: Actor, id: string): Promise<Conversation> {
  await lockForPerson(tx, actor, id);
  return presentConversation(await updateRead(tx, id));
}

export async function pauseConversation(tx: Transaction, actor: Actor, id: string): Promise<Conversation> {
  const { device_id: deviceId, contact_number: contactNumber } = await lockForPerson(tx, actor, id);
  await ignoreUnansweredMessages(tx, { deviceId, contactNumber });
  return presentConversation(await updatePaused(tx, id, { minutes: null, hasNewMessage: false }));
}

export async function closeConversation(tx: Transaction, actor: Actor, id: string): Promise<Conversation> {
  const { device_id: deviceId, contact_number: contactNumber } = await lockForPerson(tx, actor, id);
  await ignoreUnansweredMessages(tx, { deviceId, contactNumber });
  return presentConversation(await updateClosed(tx, id));
}

/**
 * Makes the bot answer what waits. Throws `conversation_not_found` (404), `team_banned`, `conversation_paused`, `contact_blocked`, `bot_not_published`
 * and `nothing_to_answer` (400). The caller publishes `conversation-due` after the commit.
 */
export async function answerConversationNow(
  tx: Transaction,
  actor: Actor,
  id: string,
): Promise<Conversation> {
  const conversation = await lockForPerson(tx, actor, id);
  const chat = { deviceId: conversation.device_id, contactNumber: conversation.contact_number };
  if (conversation.banned) throw badRequest('team_banned', 'The team is banned; lift the ban first');
  if (conversation.paused)
    throw badRequest('conversation_paused', 'The bot is paused in the conversation; resume it first');
  if (conversation.blocked) throw badRequest('contact_blocked', 'The contact is blocked; unblock it first');
  if (!conversation.published)
    throw badRequest('bot_not_published', 'The bot was never published; publish it first');
  await receiveIgnored(tx, chat);
  if (!(await hasUnansweredMessages(tx, chat)))
    throw badRequest('nothing_to_answer', 'No message of the contact waits for an answer');
  return presentConversation(await updateDue(tx, id));
}

export async function resumeConversation(tx: Transaction, actor: Actor, id: string): Promise<Conversation> {
  await lockForPerson(tx, actor, id);
  return presentConversation(await updateResumed(tx, id));
}

export const presentConversation = (row: ConversationRow): Conversation => ({
  id: row.id,
  team_id: row.team_id,
  device_id: row.device_id,
  contact_number: row.contact_number,
  contact: {
    name: row.about_contact?.name ?? null,
    labels: row.about_contact?.labels ?? [],
    blocked: row.about_contact?.blocked ?? false,
    number: row.contact_number.startsWith('+') ? row.contact_number : null,
    addresses: row.addresses,
    merged: row.merged_contacts.map(({ contact_number, merged_at }) => ({
      contact_number,
      merged_at: timestamp(new Date(merged_at)),
    })),
  },
  state: row.state,
  ...(row.paused_until === null ? {} : { paused_until: timestamp(row.paused_until) }),
  ...(row.flag === null ? {} : { flag: row.flag }),
  ...(row.flag_reason === null ? {} : { flag_reason: row.flag_reason }),
  ...(row.window_open_until === null ? {} : { window_open_until: timestamp(row.window_open_until) }),
  last_message_at: timestamp(row.last_message_at),
  ...(row.last_message === null
    ? {}
    : {
        last_message: { ...row.last_message, created_at: timestamp(new Date(row.last_message.created_at)) },
      }),
  unread: row.unread,
  labels: row.labels,
  ...(row.assignee === null ? {} : { assignee: row.assignee }),
  team_name: row.team_name,
  device_name: row.device_name,
  created_at: timestamp(row.created_at),
});

/** Throws `conversation_not_found` (404). */
export async function lockForPerson(
  tx: Transaction,
  { scope }: Actor,
  id: string,
): Promise<LockedConversation> {
  const conversation = await lockConversation(tx, scope, id);
  if (conversation === undefined) throw notFound('conversation');
  return conversation;
}
