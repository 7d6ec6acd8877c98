import type { MessageContent, MessageDetails } from '@parley/server/messaging-network';
import { normalizeMessageContent, proto } from 'baileys';
import ICAL from 'ical.js';
import { type MediaReference, readMedia } from './media-reference.ts';

export interface ReadContent {
  /** Describes media until they are downloaded. */
  content: Extract<MessageContent, { kind: 'text' }>;
  details?: MessageDetails;
  media?: MediaReference;
}

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** Returns null for messages without content, such as key exchanges. */
export function readContent(sent: proto.IMessage): ReadContent | null {
  const message = normalizeMessageContent(sent);
  if (!message) return null;
  const read =
    readPlainText(message) ?? readStructure(message) ?? readChange(message) ?? readMediaContent(message);
  if (read === null) return null;
  const quote = readQuote(message);
  return quote === null ? read : { ...read, details: { ...read.details, ...quote } };
}

const text = (words: string, details?: MessageDetails): ReadContent => ({
  content: { kind: 'text', text: words },
  ...(details && { details }),
});

function readPlainText(message: proto.IMessage): ReadContent | null {
  const words = message.conversation || message.extendedTextMessage?.text;
  return words ? text(words) : null;
}

function readMediaContent(message: proto.IMessage): ReadContent | null {
  const media = readMedia(message);
  if (media === null) return null;
  const { type, caption, fileName } = media;
  const description = fileName ? `[${type} ${fileName}]` : `[${type}]`;
  const isOwnKind = type === 'image' || type === 'voice note' || type === 'document';
  return { ...text(caption || description, isOwnKind ? undefined : { type }), media };
}

function readStructure(message: proto.IMessage): ReadContent | null {
  return readLocation(message) ?? readContacts(message) ?? readPoll(message) ?? readReply(message);
}

function readLocation({ locationMessage, liveLocationMessage }: proto.IMessage): ReadContent | null {
  const place = locationMessage ?? liveLocationMessage;
  if (!place) return null;
  const [latitude, longitude] = [place.degreesLatitude ?? 0, place.degreesLongitude ?? 0];
  const { name, address } = locationMessage ?? {};
  const words = [name, address, `${latitude}, ${longitude}`].filter(Boolean).join(', ');
  return text(`[location: ${words}]`, {
    type: locationMessage ? 'location' : 'live_location',
    latitude,
    longitude,
    ...(name && { name }),
    ...(address && { address }),
  });
}

function readContacts({ contactMessage, contactsArrayMessage }: proto.IMessage): ReadContent | null {
  const cards = contactMessage ? [contactMessage] : contactsArrayMessage?.contacts;
  if (!cards) return null;
  const contacts = cards.map(({ displayName, vcard }) => ({ name: displayName ?? '', vcard: vcard ?? '' }));
  const words = contacts.map(({ name, vcard }) => [name, ...readNumbers(vcard)].join(' '));
  return text(`[contact: ${words.join('; ')}]`, { type: 'contacts', contacts });
}

function readPoll(message: proto.IMessage): ReadContent | null {
  const poll = message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3;
  if (!poll) return null;
  const question = poll.name ?? '';
  const options = (poll.options ?? []).map(({ optionName }) => optionName ?? '');
  return text(`[poll: ${question} (${options.join(', ')})]`, { type: 'poll', question, options });
}

/** The choice of a button, a list row or a template's button. */
function readReply({
  buttonsResponseMessage: button,
  listResponseMessage: list,
  templateButtonReplyMessage: template,
}: proto.IMessage): ReadContent | null {
  if (button) return reply('button_reply', button.selectedDisplayText, button.selectedButtonId);
  if (list) return reply('list_reply', list.title, list.singleSelectReply?.selectedRowId);
  if (template) return reply('template_reply', template.selectedDisplayText, template.selectedId);
  return null;
}

const reply = (
  type: 'button_reply' | 'list_reply' | 'template_reply',
  words: string | null | undefined,
  choice: string | null | undefined,
): ReadContent => text(words || choice || '', { type, ...(choice && { choice }) });

/** Messages about another message. */
function readChange({
  reactionMessage,
  pollUpdateMessage,
  protocolMessage,
}: proto.IMessage): ReadContent | null {
  if (reactionMessage) {
    const emoji = reactionMessage.text ?? '';
    const about = readId(reactionMessage.key);
    return text(emoji ? `[reaction ${emoji}]` : '[reaction removed]', { type: 'reaction', emoji, ...about });
  }
  if (pollUpdateMessage)
    return text('[vote in a poll]', {
      type: 'poll_vote',
      ...readId(pollUpdateMessage.pollCreationMessageKey),
    });
  if (protocolMessage?.key?.id && protocolMessage.type === REVOKE)
    return text('[deleted a message]', { type: 'deletion', ...readId(protocolMessage.key) });
  if (protocolMessage?.type !== MESSAGE_EDIT || !protocolMessage.editedMessage) return null;
  const edited = readContent(protocolMessage.editedMessage);
  if (edited === null) return null;
  return text(`[edited] ${edited.content.text}`, { type: 'edit', ...readId(protocolMessage.key) });
}

const readId = (key: proto.IMessageKey | null | undefined): { about?: string } =>
  key?.id ? { about: key.id } : {};

/** Returns the id of the quoted message, and what the sender's app says about it. */
function readQuote(message: proto.IMessage): Pick<MessageDetails, 'replyTo' | 'quoted'> | null {
  for (const part of Object.values(message)) {
    const context = readMember(part, 'contextInfo');
    const id = readMember(context, 'stanzaId');
    if (typeof id !== 'string' || id === '') continue;
    // A message of the library's types has only such a member here.
    const quoted = readMember(context, 'quotedMessage') as proto.IMessage | null | undefined;
    const read = quoted ? readContent(quoted) : null;
    if (read === null) return { replyTo: id };
    const { text } = read.content;
    return { replyTo: id, quoted: { kind: toKind(read), text: text.slice(0, longestQuote).toWellFormed() } };
  }
  return null;
}

const longestQuote = 1000;

const readMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

function toKind({ media }: ReadContent): MessageContent['kind'] {
  switch (media?.type) {
    case 'image':
      return 'image';
    case 'voice note':
      return 'voice';
    case 'document':
      return 'document';
    default:
      return 'text';
  }
}

/** Cards with a photo are larger. Their numbers come before it. */
const maxCardLength = 65_536;
/** Lines that are not valid count, too. */
const maxNumbers = 20;
const maxNumberLength = 40;

/** Returns the phone numbers in a contact's card. Ignores lines that are not valid. */
export function readNumbers(card: string): string[] {
  const unfolded = card.slice(0, maxCardLength).replaceAll(/\r?\n[ \t]/g, '');
  const lines = unfolded.split(/\r?\n/).filter(isNumber).slice(0, maxNumbers);
  return lines.flatMap((line) => readNumber(line) ?? []);
}

function isNumber(line: string): boolean {
  const [name = ''] = line.slice(0, maxNameLength).split(/[;:]/, 1);
  return name.split('.').at(-1)?.toUpperCase() === 'TEL';
}

function readNumber(line: string): string | null {
  try {
    // A property is an array of its name, parameters, type and values. The library's type is `any`.
    const [, , , value]: unknown[] = ICAL.parse.property(line, ICAL.design.vcard3);
    const number = String(value).replace(/^tel:/i, '').trim();
    return number === '' || number.length > maxNumberLength ? null : number;
  } catch {
    return null;
  }
}

/** A group, a dot and `TEL`. */
const maxNameLength = 100;
