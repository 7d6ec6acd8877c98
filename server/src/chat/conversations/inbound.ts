import type { RawBuilder } from 'kysely';
import { selectMissedCallReply } from '../../devices/devices.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { newId } from '../../platform/shared/ids.ts';
import {
  type InboundMessage,
  type MessageContent,
  needsNoAnswer,
  wordlessTypes,
} from '../../ports/messaging-network/messaging-network.ts';
import { recordEvent } from '../../records/events/events.sql.ts';
import { rateByReaction } from '../answering/ratings.sql.ts';
import { type ConsentWord, readConsentWord } from '../consents/consent-words.ts';
import { applyConsentWord } from '../consents/consents.ts';
import { recordMedia } from '../messages/media.ts';
import type { StoredBytes } from '../messages/media-files.ts';
import { findMessageId, mayReplyToCall } from '../messages/messages.sql.ts';
import { enqueueReplies } from '../messages/outbox.ts';
import {
  alreadyLocked,
  type InboundRow,
  type InsertedRow,
  insertContactMessages,
  insertPersonMessage,
  isAutomaticText,
} from './inbound.queries.ts';
import { applyChange, describeChange, readChange } from './message-changes.ts';
import { ignoreUnansweredMessages } from './unanswered-messages.ts';

export interface ReceivingDevice {
  deviceId: string;
  /** Seconds until the rate budget allows an answer, null for `rate_limited`. Default: 0. */
  waitSeconds?: number | null;
}

/**
 * Stores a message once, even if it is redelivered. Call `toStorableMessage` first. `staged` are the bytes of its content, if
 * they may be in the file store. Returns the id of the conversation if workers should look at it, or null. The caller publishes
 * `conversation-due` with it after the commit.
 */
export async function recordInbound(
  tx: Transaction,
  receiver: ReceivingDevice,
  message: InboundMessage,
  keyedHash: KeyedHash,
  staged: StoredBytes | null = null,
): Promise<string | null> {
  const { content } = message;
  const change = await readChange(tx, receiver.deviceId, message);
  const effect = change === null ? null : describeChange(change);
  const details = await referToMessages(tx, receiver.deviceId, message);
  const row = toRow(receiver, message, details && { ...details, ...effect }, { silent: effect !== null });
  if (message.fromMe) {
    const automatic = await isAutomatic(tx, receiver, message);
    const quiet = automatic || wordlessTypes.some((type) => type === message.details?.type);
    const own = automatic ? { ...row, details: JSON.stringify({ automatic }) } : row;
    if (await insertPersonMessage(tx, { ...own, quiet })) {
      if (!quiet) await ignoreUnansweredMessages(tx, row);
      await recordContentMedia(tx, row.id, content, staged);
      if (change !== null) await applyChange(tx, change, row.text);
    }
    return null;
  }
  const [inserted] = await insertContactMessages(tx, [row], alreadyLocked, { skipLocked: false });
  if (inserted === undefined || inserted.conversationId === null) return null;
  await recordContentMedia(tx, row.id, content, staged);
  if (change !== null) await applyChange(tx, change, row.text);
  if (message.details?.type === 'reaction' && details?.messageId !== undefined)
    await rateByReaction(tx, { messageId: details.messageId, emoji: message.details.emoji ?? '' });
  if (message.details?.type === 'call') await recordCall(tx, row, inserted.conversationId);
  const word = effect === null ? readDecision(message) : null;
  if (word !== null) {
    const { deviceId } = receiver;
    await applyConsentWord(tx, keyedHash, { deviceId, contact: row.contactNumber, word, messageId: row.id });
  }
  return dueConversation(inserted, receiver);
}

async function recordCall(
  tx: Transaction,
  { id, deviceId, contactNumber, details }: InboundRow,
  conversationId: string,
): Promise<void> {
  const device = await selectMissedCallReply(tx, deviceId);
  if (device === undefined) return;
  const { teamId, reply } = device;
  const video = details !== null && JSON.parse(details).video === true;
  const about = { message_id: id, conversation_id: conversationId, device_id: deviceId };
  await recordEvent(
    tx,
    'call.missed',
    teamId,
    { ...about, contact_number: contactNumber, video },
    contactNumber,
  );
  if (reply === null || !(await mayReplyToCall(tx, id))) return;
  const chat = { teamId, deviceId, contactNumber, origin: 'bot' as const, answerId: null, requestId: null };
  await enqueueReplies(tx, { ...chat, parts: [{ text: reply }] });
}

/** Greetings and away messages are plain texts. */
const isAutomatic = async (
  tx: Transaction,
  { deviceId }: ReceivingDevice,
  { content, contactNumber, details, mayBeAutomatic = false, sentAt }: InboundMessage,
): Promise<boolean> =>
  mayBeAutomatic &&
  content.kind === 'text' &&
  details === undefined &&
  isAutomaticText(tx, { deviceId, contactNumber, text: content.text, sentAt });

/** True for a message that one statement can store without a transaction. */
export const isContactText = (message: InboundMessage): boolean =>
  !message.fromMe &&
  message.content.kind === 'text' &&
  message.details === undefined &&
  readDecision(message) === null;

const readDecision = ({ content }: InboundMessage): ConsentWord | null =>
  content.kind === 'text' ? readConsentWord(content.text) : null;

/** Replaces ids of the network by ids of stored messages. Messages from before the link are unknown. */
async function referToMessages(
  tx: Transaction,
  deviceId: string,
  { contactNumber, details }: InboundMessage,
): Promise<{ messageId?: string } | null> {
  if (details === undefined) return null;
  const { about, replyTo, quoted, ...rest } = details;
  const find = (networkId: string | undefined) =>
    networkId === undefined ? undefined : findMessageId(tx, { deviceId, contactNumber, networkId });
  const [messageId, replyToId] = [await find(about), await find(replyTo)];
  return {
    ...rest,
    ...(messageId !== undefined && { messageId }),
    ...(replyToId !== undefined && { replyToId }),
    ...(replyToId === undefined && replyTo !== undefined && { quoted: quoted ?? { kind: 'text', text: '' } }),
  };
}

export interface ContactText extends ReceivingDevice {
  message: InboundMessage;
}

export interface RecordedText {
  conversationId: string | null;
}

/** Like `recordInbound` for a contact's text. Returns null if `lockedDevices` does not select position 1. */
export async function recordContactText(
  db: Database,
  inbound: ContactText,
  lockedDevices: RawBuilder<{ position: number }>,
): Promise<RecordedText | null> {
  const [inserted] = await insertContactMessages(db, [toRow(inbound, inbound.message)], lockedDevices, {
    skipLocked: false,
  });
  return inserted?.hasDeviceLock ? { conversationId: dueConversation(inserted, inbound) } : null;
}

/** Returns null for a text without a device lock or with a locked conversation. Throws after 100 ms of lock wait. */
export async function recordContactTexts(
  db: Database,
  inbound: readonly ContactText[],
  lockedDevices: RawBuilder<{ position: number }>,
): Promise<(RecordedText | null)[]> {
  const rows = inbound.map((text) => toRow(text, text.message));
  const inserted = await insertContactMessages(db, rows, lockedDevices, { skipLocked: true });
  return inserted.map((row, index) =>
    row.hasDeviceLock && row.isFree ? { conversationId: dueConversation(row, inbound[index] ?? {}) } : null,
  );
}

/** Workers look for due conversations at least this often, also without a notification. */
const workersPollEverySeconds = 1;

/** A flood over the budget must not wake all workers with each message. */
const dueConversation = (
  { conversationId, due }: InsertedRow,
  { waitSeconds = 0 }: Pick<ReceivingDevice, 'waitSeconds'>,
): string | null =>
  due && waitSeconds !== null && waitSeconds < workersPollEverySeconds ? conversationId : null;

function toRow(
  { deviceId, waitSeconds = 0 }: ReceivingDevice,
  { content, contactNumber, contactName, networkId, sentAt, ...message }: InboundMessage,
  details: object | null = null,
  { silent }: Pick<InboundRow, 'silent'> = { silent: false },
): InboundRow {
  return {
    id: newId(),
    conversationId: newId(),
    deviceId,
    contactNumber,
    contactName: contactName?.trim().slice(0, maxName) || null,
    kind: content.kind,
    text: getText(content),
    mimeType: content.kind === 'text' ? null : content.mimeType,
    networkId,
    sentAt,
    details: details === null ? null : JSON.stringify(details),
    silent: silent || needsNoAnswer(message),
    waitSeconds,
  };
}

const maxName = 100;

function getText(content: MessageContent): string {
  switch (content.kind) {
    case 'text':
      return content.text;
    case 'image':
      return content.caption;
    case 'voice':
      return '';
    case 'document':
      return content.caption === '' ? content.fileName : content.caption;
  }
}

async function recordContentMedia(
  tx: Transaction,
  messageId: string,
  content: MessageContent,
  staged: StoredBytes | null,
): Promise<void> {
  if (content.kind === 'text') return;
  const { kind, mimeType, bytes } = content;
  const voice = kind === 'voice' ? content : null;
  await recordMedia(tx, {
    messageId,
    position: 0,
    kind,
    mimeType,
    bytes: staged ?? bytes,
    seconds: voice?.seconds ?? null,
    waveform: voice?.waveform ?? null,
  });
}
