import { createHash } from 'node:crypto';
import {
  areJidsSameUser,
  type BinaryNode,
  type Contact,
  decodeMessageNode,
  isLidUser,
  isPnUser,
  jidDecode,
  normalizeMessageContent,
  type proto,
} from 'baileys';
import type { InboundMessage } from '../../../server/src/adapters/messaging-network/messaging-network.ts';

interface InboundContext {
  me: Pick<Contact, 'id' | 'lid'>;
  getNumber(lid: string): Promise<string | null>;
  warn(why: string): void;
}

/** Returns null for groups, channels, status, the own chat, and messages without content (reactions, edits, sync). */
export async function readInboundMessage(
  stanza: BinaryNode,
  sent: proto.IMessage,
  { me, getNumber, warn }: InboundContext,
): Promise<InboundMessage | null> {
  const { fullMessage } = decodeMessageNode(stanza, me.id, me.lid ?? '');
  const { fromMe, remoteJid: chat } = fullMessage.key;
  const { id = '', t } = stanza.attrs;
  if (!chat || !(isPnUser(chat) || isLidUser(chat))) return null;
  if (areJidsSameUser(chat, me.id) || areJidsSameUser(chat, me.lid)) return null;
  const text = readText(sent.deviceSentMessage?.message ?? sent);
  if (text === null) return null;
  const address = isPnUser(chat)
    ? chat
    : (readNumberAddress(stanza, fromMe === true) ?? (await getNumber(chat)));
  const number = jidDecode(address ?? '')?.user;
  if (number === undefined) {
    warn('skipped a message because the network did not provide the number of its contact');
    return null;
  }
  return {
    networkId: plainId.test(id) ? id : createHash('sha256').update(id).digest('base64url'),
    contactNumber: `+${number}`,
    fromMe: fromMe === true,
    sentAt: parseSentAt(t),
    content: { kind: 'text', text },
  };
}

/** The sender's client chooses the id. Other ids are replaced by their digest. */
const plainId = /^[\w.:-]{1,128}$/;

/** `seconds` count from 1970. Returns the current time for an invalid value. */
function parseSentAt(seconds: string | undefined): Date {
  const time = Number(seconds) * 1000;
  return new Date(time > 0 && time <= Date.now() + 86_400_000 ? time : Date.now());
}

const readNumberAddress = ({ attrs }: BinaryNode, fromMe: boolean): string | undefined =>
  fromMe ? (attrs['peer_recipient_pn'] ?? attrs['recipient_pn']) : attrs['sender_pn'];

function readText(sent: proto.IMessage): string | null {
  const message = normalizeMessageContent(sent);
  if (!message) return null;
  const text = message.conversation || message.extendedTextMessage?.text;
  if (text) return text;
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage } = message;
  if (imageMessage) return imageMessage.caption || '[image]';
  if (videoMessage) return videoMessage.caption || '[video]';
  if (documentMessage) return documentMessage.caption || `[document ${documentMessage.fileName ?? ''}]`;
  if (audioMessage) return audioMessage.ptt ? '[voice note]' : '[audio]';
  if (stickerMessage) return '[sticker]';
  if (message.locationMessage || message.liveLocationMessage) return '[location]';
  if (message.contactMessage || message.contactsArrayMessage) return '[contact]';
  return null;
}
