import type { InboundMessage, MessageContent } from '../adapters/messaging-network/messaging-network.ts';
import type { Transaction } from '../database/database.ts';
import { recordMedia } from '../messages/media.ts';
import { newId } from '../shared/ids.ts';
import { insertFromContact, insertFromPerson } from './inbound.queries.ts';
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
  const { content, contactNumber, networkId, sentAt } = message;
  const id = newId();
  const row = {
    id,
    deviceId: device.deviceId,
    contactNumber,
    kind: content.kind,
    text: storable(textOf(content)),
    mimeType: content.kind === 'text' ? null : storable(content.mimeType),
    networkId,
    sentAt,
  };
  if (message.fromMe) {
    if (await insertFromPerson(tx, newId(), row)) {
      await ignoreWaiting(tx, row);
      await keepMedia(tx, id, content);
    }
    return null;
  }
  const conversation = await insertFromContact(tx, newId(), row);
  if (conversation === null) return null;
  await keepMedia(tx, id, content);
  return conversation.due ? conversation.conversationId : null;
}

/**
 * As the database can keep it. Contacts can write a NUL or half a surrogate pair; a message that could never be kept
 * would be brought again for ever, and with it nothing after it.
 */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

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
    mimeType: storable(mimeType),
    bytes,
    seconds: voice?.seconds ?? null,
    waveform: voice?.waveform ?? null,
  });
}
