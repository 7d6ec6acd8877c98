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
  /** The address by number of one by LID; null when it is not known. */
  getNumber(lid: string): Promise<string | null>;
  warn(why: string): void;
}

/**
 * What a chat with one contact brought; null for groups, channels, status, the chat with oneself, and what carries no
 * content (reactions, edits, the phone's own synchronisation).
 */
export async function readInboundMessage(
  stanza: BinaryNode,
  sent: proto.IMessage,
  { me, getNumber: numberOf, warn }: InboundContext,
): Promise<InboundMessage | null> {
  const { fullMessage } = decodeMessageNode(stanza, me.id, me.lid ?? '');
  const { fromMe, remoteJid: chat } = fullMessage.key;
  const { id = '', t } = stanza.attrs;
  if (!chat || !(isPnUser(chat) || isLidUser(chat))) return null;
  if (areJidsSameUser(chat, me.id) || areJidsSameUser(chat, me.lid)) return null;
  const text = textOf(sent.deviceSentMessage?.message ?? sent);
  if (text === null) return null;
  const address = isPnUser(chat) ? chat : (alternativeOf(stanza, fromMe === true) ?? (await numberOf(chat)));
  const number = jidDecode(address ?? '')?.user;
  if (number === undefined) {
    warn('a message of a contact whose number the network does not tell is not kept');
    return null;
  }
  return {
    networkId: plainId.test(id) ? id : createHash('sha256').update(id).digest('base64url'),
    contactNumber: `+${number}`,
    fromMe: fromMe === true,
    sentAt: sentAt(t),
    content: { kind: 'text', text },
  };
}

/** Ids are chosen by the sender's client: one that is not of the usual kind goes by its digest. */
const plainId = /^[\w.:-]{1,128}$/;

/** In seconds since 1970, by the network; now, when it says nothing of use. */
function sentAt(seconds: string | undefined): Date {
  const time = Number(seconds) * 1000;
  return new Date(time > 0 && time <= Date.now() + 86_400_000 ? time : Date.now());
}

/** The contact's address by number where the chat is addressed by LID. */
const alternativeOf = ({ attrs }: BinaryNode, fromMe: boolean): string | undefined =>
  fromMe ? (attrs['peer_recipient_pn'] ?? attrs['recipient_pn']) : attrs['sender_pn'];

/** The words of a message; of one that is none, its caption or what it is, so that the conversation shows it. */
function textOf(sent: proto.IMessage): string | null {
  const message = normalizeMessageContent(sent);
  if (!message) return null;
  const words = message.conversation || message.extendedTextMessage?.text;
  if (words) return words;
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
