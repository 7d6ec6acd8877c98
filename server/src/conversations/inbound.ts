import type { RawBuilder } from 'kysely';
import type { InboundMessage, MessageContent } from '../adapters/messaging-network/messaging-network.ts';
import type { Database, Transaction } from '../database/database.ts';
import { recordMedia } from '../messages/media.ts';
import { newId } from '../shared/ids.ts';
import { storableText } from '../shared/storable-text.ts';
import { type InboundRow, insertFromContact, insertFromPerson } from './inbound.queries.ts';
import { ignoreWaiting } from './waiting.ts';

/**
 * Keeps a message that the network brought to a device. A message that came before changes nothing. Answers the
 * conversation that is due to be answered by it, if any: publish `conversation-due` with it after the commit.
 */
export async function recordInbound(
  tx: Transaction,
  device: { deviceId: string },
  message: InboundMessage,
): Promise<string | null> {
  const { content } = message;
  const row = rowOf(device, message);
  if (message.fromMe) {
    if (await insertFromPerson(tx, newId(), row)) {
      await ignoreWaiting(tx, row);
      await keepMedia(tx, row.id, content);
    }
    return null;
  }
  const { conversationId, due } = await insertFromContact(tx, newId(), row);
  if (conversationId !== null) await keepMedia(tx, row.id, content);
  return due ? conversationId : null;
}

/** Whether a message is kept by one statement, which needs no transaction around it. */
export const isPlain = ({ fromMe, content }: InboundMessage): boolean => !fromMe && content.kind === 'text';

/** As `recordInbound`, for a plain message and while `held` selects the device. False where it does not. */
export async function recordPlain(
  db: Database,
  device: { deviceId: string; held: RawBuilder<{ id: string }> },
  message: InboundMessage,
): Promise<{ conversationId: string | null } | false> {
  const { isHeld, conversationId, due } = await insertFromContact(
    db,
    newId(),
    rowOf(device, message),
    device.held,
  );
  return isHeld && { conversationId: due ? conversationId : null };
}

function rowOf(
  { deviceId }: { deviceId: string },
  { content, contactNumber, networkId, sentAt }: InboundMessage,
): InboundRow {
  return {
    id: newId(),
    deviceId,
    contactNumber,
    kind: content.kind,
    // A message that could never be kept would be brought again for ever, and with it nothing after it.
    text: storableText(textOf(content)),
    mimeType: content.kind === 'text' ? null : storableText(content.mimeType),
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
    mimeType: storableText(mimeType),
    bytes,
    seconds: voice?.seconds ?? null,
    waveform: voice?.waveform ?? null,
  });
}
