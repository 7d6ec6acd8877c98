import type { Transaction } from '../../platform/database/database.ts';
import type { InboundMessage } from '../../ports/messaging-network/messaging-network.ts';
import {
  type ChangedMessage,
  markCorrected,
  markDeleted,
  replaceText,
  selectChangedMessages,
} from '../messages/changed-messages.sql.ts';
import { lockConversation, restartAnswer } from './message-changes.queries.ts';

/** An edit or a deletion of a stored message by its author. */
export interface MessageChange {
  type: 'edit' | 'deletion';
  chat: { deviceId: string; contactNumber: string };
  /** The message and its edits, oldest first. */
  messages: readonly ChangedMessage[];
  /** Whether an answer in progress has called actions. It is not stopped, so that the contact learns what they did. */
  hasCalls: boolean;
}

/** Returns null for other messages, and if the changed message is unknown. Locks the conversation. */
export async function readChange(
  tx: Transaction,
  deviceId: string,
  { contactNumber, fromMe, details }: InboundMessage,
): Promise<MessageChange | null> {
  if (details?.type !== 'edit' && details?.type !== 'deletion') return null;
  const { type, about: networkId } = details;
  if (networkId === undefined) return null;
  const chat = { deviceId, contactNumber };
  const hasCalls = await lockConversation(tx, chat);
  const messages = await selectChangedMessages(tx, { ...chat, direction: fromMe ? 'out' : 'in', networkId });
  return messages.length === 0 ? null : { type, chat, messages, hasCalls };
}

/** Returns the message that an edit changes in place, because it waits for its answer, or undefined. */
function findWaiting({ type, messages, hasCalls }: MessageChange): ChangedMessage | undefined {
  const newest = messages.at(-1);
  return type === 'edit' && !hasCalls && newest?.status === 'received' ? newest : undefined;
}

/** Returns the details of an edit that needs no answer of its own, or null. */
export function describeChange(change: MessageChange): { applied: true } | { deleted: true } | null {
  if (change.type === 'deletion') return null;
  if (change.messages.some(({ isDeleted }) => isDeleted)) return { deleted: true };
  return findWaiting(change) === undefined ? null : { applied: true };
}

/** Call it once, after the message that brings the change is stored. `text` is that of the message. */
export async function applyChange(tx: Transaction, change: MessageChange, text: string): Promise<void> {
  const { type, chat, messages, hasCalls } = change;
  const ids = messages.map(({ id }) => id);
  if (type === 'deletion') {
    await markDeleted(tx, ids, { ignore: !hasCalls });
  } else {
    const waiting = findWaiting(change);
    if (waiting === undefined) return markCorrected(tx, ids);
    await replaceText(tx, waiting.id, text.replace(/^\[edited\] ?/, ''));
  }
  if (!hasCalls) await restartAnswer(tx, chat);
}
