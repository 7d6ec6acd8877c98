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
import { type OrderReference, type ReadContent, text, unsupported } from './content-text.ts';
import { readContent } from './inbound-content.ts';
import type { MediaReference } from './media-reference.ts';
import { openSecret } from './message-secrets.ts';
import type { StoredState } from './stored-state.ts';

export interface InboundContext {
  me: Pick<Contact, 'id' | 'lid'>;
  state: Pick<StoredState, 'read'>;
  /** See `findUnknownField`. */
  unknownField?: number | null;
  getNumber(lid: string): Promise<string | null>;
  identify: ContactDirectory['identify'];
}

/** Returns null for groups, channels, status, the own chat, and messages without content. */
export async function readInboundMessage(
  stanza: BinaryNode,
  sent: proto.IMessage,
  context: InboundContext,
): Promise<ReceivedMessage | null> {
  const { me, state, unknownField = null } = context;
  const addresses = readAddresses(stanza, context);
  if (addresses === null) return null;
  const { chat, other, fromMe } = addresses;
  const inner = sent.deviceSentMessage?.message ?? sent;
  const sides = { contact: other ? [chat, other] : [chat], me: me.lid ? [me.lid, me.id] : [me.id], fromMe };
  const unknown = unknownField === null ? null : unsupported(`field ${unknownField}`);
  const read = (await openSecret(inner, state, sides)) ?? readContent(inner) ?? unknown;
  return read && identifyMessage(stanza, read, context);
}

interface Addresses {
  chat: string;
  other: string | undefined;
  fromMe: boolean;
  pushName: string | undefined;
}

/** Returns null unless the stanza belongs to the chat with one contact. */
function readAddresses(stanza: BinaryNode, { me }: Pick<InboundContext, 'me'>): Addresses | null {
  const { fullMessage } = decodeMessageNode(stanza, me.id, me.lid ?? '');
  const { remoteJid: chat } = fullMessage.key;
  const fromMe = fullMessage.key.fromMe === true;
  if (!chat || !(isPnUser(chat) || isLidUser(chat))) return null;
  if (areJidsSameUser(chat, me.id) || areJidsSameUser(chat, me.lid)) return null;
  return {
    chat,
    other: readOtherAddress(stanza, fromMe),
    fromMe,
    pushName: fullMessage.pushName ?? undefined,
  };
}

/** Returns the contact of the chat, or null like `readInboundMessage`. Only settings of the chat have no content. */
export async function identifySender(
  stanza: BinaryNode,
  context: Pick<InboundContext, 'me' | 'getNumber' | 'identify'>,
): Promise<string | null> {
  return (await identifyMessage(stanza, text(''), context))?.contactNumber ?? null;
}

/** Returns null like `readInboundMessage`. */
export async function identifyMessage(
  stanza: BinaryNode,
  { content, details, media, order }: ReadContent,
  { me, getNumber, identify }: Pick<InboundContext, 'me' | 'getNumber' | 'identify'>,
): Promise<ReceivedMessage | null> {
  const found = readAddresses(stanza, { me });
  if (found === null) return null;
  const { chat, other, fromMe, pushName } = found;
  const { id = '', t } = stanza.attrs;
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
    ...(!fromMe && pushName ? { contactName: pushName } : {}),
    fromMe,
    ...(fromMe && { mayBeAutomatic: true }),
    sentAt: parseSentAt(t),
    content,
    ...(details && { details }),
    ...(order && { order }),
    ...(media && { media: { ...media, source: { id, chat, fromMe } } }),
    address: jidNormalizedUser(chat),
  };
}

export interface ReceivedMessage extends InboundMessage {
  /** Downloaded before the message is delivered. */
  media?: MediaReference;
  /** Its products are fetched before the message is delivered. */
  order?: OrderReference;
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
