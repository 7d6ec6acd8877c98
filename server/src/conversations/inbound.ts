import type { RawBuilder } from 'kysely';
import type { InboundMessage, MessageContent } from '../adapters/messaging-network/messaging-network.ts';
import type { Database, Transaction } from '../database/database.ts';
import { recordMedia } from '../messages/media.ts';
import { newId } from '../shared/ids.ts';
import {
  alreadyLocked,
  type InboundRow,
  type InsertedRow,
  insertContactMessages,
  insertPersonMessage,
} from './inbound.queries.ts';
import { ignoreUnansweredMessages } from './unanswered-messages.ts';

/**
 * Stores a message once, even if it is redelivered. Call `toStorableMessage` first. Returns the id of the conversation
 * that is now due, or null. The caller publishes `conversation-due` with it after the commit.
 */
export async function recordInbound(
  tx: Transaction,
  device: { deviceId: string },
  message: InboundMessage,
): Promise<string | null> {
  const { content } = message;
  const row = toRow(device, message);
  if (message.fromMe) {
    if (await insertPersonMessage(tx, row)) {
      await ignoreUnansweredMessages(tx, row);
      await recordContentMedia(tx, row.id, content);
    }
    return null;
  }
  const [inserted] = await insertContactMessages(tx, [row], alreadyLocked, { skipLocked: false });
  if (inserted === undefined || inserted.conversationId === null) return null;
  await recordContentMedia(tx, row.id, content);
  return dueConversation(inserted);
}

/** True for a message that one statement can store without a transaction. */
export const isContactText = ({ fromMe, content }: InboundMessage): boolean =>
  !fromMe && content.kind === 'text';

export interface ContactText {
  deviceId: string;
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
  return inserted?.hasDeviceLock ? { conversationId: dueConversation(inserted) } : null;
}

/** Returns null for a text without a device lock or with a locked conversation. Throws after 500 ms of lock wait. */
export async function recordContactTexts(
  db: Database,
  inbound: readonly ContactText[],
  lockedDevices: RawBuilder<{ position: number }>,
): Promise<(RecordedText | null)[]> {
  const rows = inbound.map((text) => toRow(text, text.message));
  const inserted = await insertContactMessages(db, rows, lockedDevices, { skipLocked: true });
  return inserted.map((row) =>
    row.hasDeviceLock && row.isFree ? { conversationId: dueConversation(row) } : null,
  );
}

const dueConversation = ({ conversationId, due }: InsertedRow): string | null =>
  due ? conversationId : null;

function toRow(
  { deviceId }: { deviceId: string },
  { content, contactNumber, networkId, sentAt }: InboundMessage,
): InboundRow {
  return {
    id: newId(),
    conversationId: newId(),
    deviceId,
    contactNumber,
    kind: content.kind,
    text: getText(content),
    mimeType: content.kind === 'text' ? null : content.mimeType,
    networkId,
    sentAt,
  };
}

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
): Promise<void> {
  if (content.kind === 'text') return;
  const { kind, mimeType, bytes } = content;
  const voice = kind === 'voice' ? content : null;
  await recordMedia(tx, {
    messageId,
    position: 0,
    kind,
    mimeType,
    bytes,
    seconds: voice?.seconds ?? null,
    waveform: voice?.waveform ?? null,
  });
}
