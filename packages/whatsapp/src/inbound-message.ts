import { createHash } from 'node:crypto';
import type { ContactDirectory, InboundMessage } from '@parley/server/messaging-network';
import {
  areJidsSameUser,
  type BinaryNode,
  type Contact,
  decodeMessageNode,
  isLidUser,
  isPnUser,
  jidDecode,
  jidNormalizedUser,
  type proto,
} from 'baileys';
import { readContent } from './inbound-content.ts';
import type { MediaReference } from './media-reference.ts';

interface InboundContext {
  me: Pick<Contact, 'id' | 'lid'>;
  getNumber(lid: string): Promise<string | null>;
  identify: ContactDirectory['identify'];
}

/** Returns null for groups, channels, status, the own chat, and messages without content. */
export async function readInboundMessage(
  stanza: BinaryNode,
  sent: proto.IMessage,
  { me, getNumber, identify }: InboundContext,
): Promise<ReceivedMessage | null> {
  const { fullMessage } = decodeMessageNode(stanza, me.id, me.lid ?? '');
  const { fromMe, remoteJid: chat } = fullMessage.key;
  const { id = '', t } = stanza.attrs;
  if (!chat || !(isPnUser(chat) || isLidUser(chat))) return null;
  if (areJidsSameUser(chat, me.id) || areJidsSameUser(chat, me.lid)) return null;
  const read = readContent(sent.deviceSentMessage?.message ?? sent);
  if (read === null) return null;
  const { content, details, media } = read;
  const other = readOtherAddress(stanza, fromMe === true);
  const numbered = isPnUser(chat) ? chat : (other ?? (await getNumber(chat)));
  const number = isPnUser(numbered ?? undefined) ? jidDecode(numbered ?? '')?.user : undefined;
  const addresses = [chat, other, numbered].flatMap((each) => (each ? [jidNormalizedUser(each)] : []));
  const contactNumber = await identify({
    number: number === undefined ? null : `+${number}`,
    addresses: [...new Set(addresses)],
  });
  return {
    networkId: plainId.test(id) ? id : createHash('sha256').update(id).digest('base64url'),
    contactNumber,
    ...(fromMe !== true && fullMessage.pushName ? { contactName: fullMessage.pushName } : {}),
    fromMe: fromMe === true,
    ...(fromMe === true && { mayBeAutomatic: true }),
    sentAt: parseSentAt(t),
    content,
    ...(details && { details }),
    ...(media && { media: { ...media, source: { id, chat, fromMe: fromMe === true } } }),
    address: jidNormalizedUser(chat),
  };
}

export interface ReceivedMessage extends InboundMessage {
  /** Downloaded before the message is delivered. */
  media?: MediaReference;
  /** Of the contact. Its number may become known while the message waits. Earlier versions stored messages without it. */
  address?: string;
}

/** The sender's client chooses the id. Other ids are replaced by their digest. */
const plainId = /^[\w.:-]{1,128}$/;

/** `seconds` count from 1970. Returns the current time for an invalid value. */
function parseSentAt(seconds: string | undefined): Date {
  const time = Number(seconds) * 1000;
  return new Date(time > 0 && time <= Date.now() + 86_400_000 ? time : Date.now());
}

/** The number of a contact addressed by LID, or the LID of one addressed by number. */
const readOtherAddress = ({ attrs }: BinaryNode, fromMe: boolean): string | undefined =>
  fromMe
    ? (attrs['peer_recipient_pn'] ??
      attrs['recipient_pn'] ??
      attrs['peer_recipient_lid'] ??
      attrs['recipient_lid'])
    : (attrs['sender_pn'] ?? attrs['sender_lid']);
