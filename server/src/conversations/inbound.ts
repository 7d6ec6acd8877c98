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
 * Stores a message that the network delivered to a device, after `toStorableMessage`. A redelivered message changes
 * nothing. Returns the id of the conversation that is now due, or null. Publish `conversation-due` with it after the commit.
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
  const [inserted] = await insertContactMessages(tx, [row], alreadyLocked, { orSkip: false });
  if (inserted === undefined || inserted.conversationId === null) return null;
  await recordContentMedia(tx, row.id, content);
  return dueConversation(inserted);
}

/** Whether one statement stores the message, so that it needs no transaction. */
export const isContactText = ({ fromMe, content }: InboundMessage): boolean =>
  !fromMe && content.kind === 'text';

export interface ContactText {
  deviceId: string;
  message: InboundMessage;
}

export interface RecordedText {
  /** The conversation that is now due, if any. */
  conversationId: string | null;
}

/** As `recordInbound`, for a contact's text. Returns null when `held` does not select its position, 1. */
export async function recordContactText(
  db: Database,
  inbound: ContactText,
  held: RawBuilder<{ position: number }>,
): Promise<RecordedText | null> {
  const [inserted] = await insertContactMessages(db, [toRow(inbound, inbound.message)], held, {
    orSkip: false,
  });
  return inserted?.isHeld ? { conversationId: dueConversation(inserted) } : null;
}

/**
 * As `recordContactText`, for texts of different conversations. An entry is null when its device is not held or its
 * conversation is locked. Rejects without storing any when one must wait longer than 500 ms for a lock.
 */
export async function recordContactTexts(
  db: Database,
  inbound: readonly ContactText[],
  held: RawBuilder<{ position: number }>,
): Promise<(RecordedText | null)[]> {
  const rows = inbound.map((text) => toRow(text, text.message));
  const inserted = await insertContactMessages(db, rows, held, { orSkip: true });
  return inserted.map((row) => (row.isHeld && row.isFree ? { conversationId: dueConversation(row) } : null));
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

/** The text of a document without a caption is its file name. */
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
