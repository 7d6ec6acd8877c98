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
 * Keeps a message that the network brought to a device, as `storableMessage` has made it. A message that came before
 * changes nothing. Answers the conversation that is due to be answered by it, if any: publish `conversation-due` with it
 * after the commit.
 */
export async function recordInbound(
  tx: Transaction,
  device: { deviceId: string },
  message: InboundMessage,
): Promise<string | null> {
  const { content } = message;
  const row = rowOf(device, message);
  if (message.fromMe) {
    if (await insertPersonMessage(tx, row)) {
      await ignoreUnansweredMessages(tx, row);
      await keepMedia(tx, row.id, content);
    }
    return null;
  }
  const [noted] = await insertContactMessages(tx, [row], alreadyLocked, { orSkip: false });
  if (noted === undefined || noted.conversationId === null) return null;
  await keepMedia(tx, row.id, content);
  return dueIn(noted);
}

/** Whether a message is kept by one statement, which needs no transaction around it. */
export const isContactText = ({ fromMe, content }: InboundMessage): boolean =>
  !fromMe && content.kind === 'text';

/** A plain message and the device that it came to. */
export interface ContactText {
  deviceId: string;
  message: InboundMessage;
}

/** The conversation that is due to be answered by a message, if any. */
export interface RecordedText {
  conversationId: string | null;
}

/** As `recordInbound`, for a plain message and while `held` selects its position, 1. Null where it does not. */
export async function recordContactText(
  db: Database,
  inbound: ContactText,
  held: RawBuilder<{ position: number }>,
): Promise<RecordedText | null> {
  const [noted] = await insertContactMessages(db, [rowOf(inbound, inbound.message)], held, { orSkip: false });
  return noted?.isHeld ? { conversationId: dueIn(noted) } : null;
}

/**
 * As `recordPlain`, for messages of different conversations at once. Null where the device is not held, or somebody else
 * has locked the conversation. Rejects, having kept none, when one of them has to wait for longer than half a second.
 */
export async function recordContactTexts(
  db: Database,
  inbound: readonly ContactText[],
  held: RawBuilder<{ position: number }>,
): Promise<(RecordedText | null)[]> {
  const rows = inbound.map((one) => rowOf(one, one.message));
  const noted = await insertContactMessages(db, rows, held, { orSkip: true });
  return noted.map((row) => (row.isHeld && row.isFree ? { conversationId: dueIn(row) } : null));
}

const dueIn = ({ conversationId, due }: InsertedRow): string | null => (due ? conversationId : null);

function rowOf(
  { deviceId }: { deviceId: string },
  { content, contactNumber, networkId, sentAt }: InboundMessage,
): InboundRow {
  return {
    id: newId(),
    conversationId: newId(),
    deviceId,
    contactNumber,
    kind: content.kind,
    text: textOf(content),
    mimeType: content.kind === 'text' ? null : content.mimeType,
    networkId,
    sentAt,
  };
}

/** A document without a caption is called by its name. */
function textOf(content: MessageContent): string {
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

async function keepMedia(tx: Transaction, messageId: string, content: MessageContent): Promise<void> {
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
