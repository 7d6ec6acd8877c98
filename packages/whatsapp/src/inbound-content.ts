import type { MessageContent, MessageDetails } from '@parley/server/messaging-network';
import { proto } from 'baileys';
import ICAL from 'ical.js';
import {
  readButtons,
  readFlowReply,
  readInteractive,
  readInvoice,
  readList,
  readOrder,
  readPayment,
  readPaymentAnswer,
  readPaymentInvitation,
  readPaymentRequest,
  readProduct,
  readStructured,
  readTemplate,
} from './business-content.ts';
import { type ReadContent, readId, readTime, text, unsupported } from './content-text.ts';
import { readMedia } from './media-reference.ts';

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
const { MISSED, REJECTED, SILENCED_BY_DND, SILENCED_UNKNOWN_CALLER } =
  proto.Message.CallLogMessage.CallOutcome;

type Kind = keyof proto.IMessage;
type Reader<K extends Kind> = (
  value: NonNullable<proto.IMessage[K]>,
  message: proto.IMessage,
  depth: number,
) => ReadContent | null;

/** Of no interest to people: keys, settings, and what phones tell their own devices. */
const technical = (): null => null;

const wrapped =
  (kind: Kind) =>
  ({ message }: proto.Message.IFutureProofMessage, _: proto.IMessage, depth: number): ReadContent | null => {
    const read = message ? readContent(message, depth + 1) : null;
    // The library drops kinds that it does not know.
    const isEmpty = Object.keys(message ?? {}).every((each) => each === 'messageContextInfo');
    return read ?? (isEmpty ? unsupported(kind) : null);
  };

const media = (_: unknown, message: proto.IMessage): ReadContent | null => {
  const reference = readMedia(message);
  if (reference === null) return null;
  const { type, caption, fileName } = reference;
  const description = fileName ? `[${type} ${fileName}]` : `[${type}]`;
  const isOwnKind = type === 'image' || type === 'voice note' || type === 'document';
  return { ...text(caption || description, isOwnKind ? undefined : { type }), media: reference };
};

/** Shows the words of content that has no form of its own. */
const otherWords =
  (kind: Kind) =>
  (value: { text?: string | null; caption?: string | null; key?: proto.IMessageKey | null }): ReadContent =>
    value.text
      ? text(value.text, value.key?.id ? { replyTo: value.key.id } : undefined)
      : unsupported(kind, value.caption);

/** Every kind of content that the library knows. */
const readers: { readonly [K in Kind]-?: Reader<K> } = {
  conversation: (words) => text(words),
  extendedTextMessage: ({ text: words, title }) =>
    words ? text(words) : unsupported('extendedTextMessage', title),
  imageMessage: media,
  videoMessage: media,
  ptvMessage: media,
  stickerMessage: media,
  audioMessage: media,
  documentMessage: media,
  locationMessage: (place) => readLocation('location', place),
  liveLocationMessage: (place) => readLocation('live_location', place),
  contactMessage: (card) => readContacts([card]),
  contactsArrayMessage: ({ contacts }) => readContacts(contacts ?? []),
  pollCreationMessage: readPoll,
  pollCreationMessageV2: readPoll,
  pollCreationMessageV3: readPoll,
  pollCreationMessageV5: readPoll,
  pollResultSnapshotMessage: readPollResult,
  pollResultSnapshotMessageV3: readPollResult,
  /** Without its option. `openSecret` reads it. */
  pollUpdateMessage: ({ pollCreationMessageKey: key }) =>
    text('[vote in a poll]', { type: 'poll_vote', ...readId(key) }),
  eventMessage: readEvent,
  encEventResponseMessage: ({ eventCreationMessageKey: key }) =>
    text('[reply to an event]', { type: 'event_reply', ...readId(key) }),
  scheduledCallCreationMessage: ({ title, scheduledTimestampMs, callType }) => {
    const at = readTime(scheduledTimestampMs, 1);
    const words = [title, at.startsAt].filter(Boolean).join(', ');
    return text(`[planned call: ${words}]`, { type: 'event', ...at, video: callType === 2 });
  },
  scheduledCallEditMessage: ({ key }) =>
    text('[cancelled a planned call]', { type: 'event_reply', ...readId(key) }),
  callLogMesssage: ({ callOutcome, isVideo }) => {
    const missed = [MISSED, REJECTED, SILENCED_BY_DND, SILENCED_UNKNOWN_CALLER].some(
      (each) => each === callOutcome,
    );
    return text(missed ? '[missed call]' : '[call]', { type: 'call', video: isVideo === true });
  },
  buttonsResponseMessage: ({ selectedDisplayText, selectedButtonId }) =>
    reply('button_reply', selectedDisplayText, selectedButtonId),
  listResponseMessage: ({ title, description, singleSelectReply }) =>
    reply('list_reply', title || description, singleSelectReply?.selectedRowId),
  templateButtonReplyMessage: ({ selectedDisplayText, selectedId }) =>
    reply('template_reply', selectedDisplayText, selectedId),
  interactiveResponseMessage: readFlowReply,
  buttonsMessage: readButtons,
  listMessage: readList,
  templateMessage: readTemplate,
  interactiveMessage: readInteractive,
  highlyStructuredMessage: readStructured,
  productMessage: readProduct,
  orderMessage: readOrder,
  sendPaymentMessage: readPayment,
  requestPaymentMessage: readPaymentRequest,
  declinePaymentRequestMessage: (answer) => readPaymentAnswer('declined', answer),
  cancelPaymentRequestMessage: (answer) => readPaymentAnswer('cancelled', answer),
  paymentInviteMessage: readPaymentInvitation,
  invoiceMessage: readInvoice,
  groupInviteMessage: ({ groupName, caption }) =>
    text([`[group invitation: ${groupName ?? ''}]`, caption].filter(Boolean).join(' '), {
      type: 'group_invite',
    }),
  stickerPackMessage: ({ name }) => text(`[sticker pack: ${name ?? ''}]`, { type: 'sticker' }),
  albumMessage: ({ expectedImageCount, expectedVideoCount }) =>
    text(`[album: ${expectedImageCount ?? 0} images, ${expectedVideoCount ?? 0} videos]`, { type: 'album' }),
  reactionMessage: readReaction,
  encReactionMessage: ({ targetMessageKey: key }) => text('[reaction]', { type: 'reaction', ...readId(key) }),
  pinInChatMessage: ({ key, type }) =>
    text(type === 2 ? '[unpinned a message]' : '[pinned a message]', { type: 'pin', ...readId(key) }),
  keepInChatMessage: ({ key, keepType }) =>
    text(keepType === 2 ? '[no longer keeps a message]' : '[kept a message]', {
      type: 'pin',
      ...readId(key),
    }),
  protocolMessage: readProtocol,
  /** Without its new text. `openSecret` reads it. */
  secretEncryptedMessage: ({ targetMessageKey: key }) => {
    const { content, details } = unsupported('secretEncryptedMessage');
    return { content, details: { ...details, ...readId(key) } };
  },
  commentMessage: ({ message, targetMessageKey: key }, _, depth) => {
    const read = message ? readContent(message, depth + 1) : null;
    if (read === null) return unsupported('commentMessage');
    return key?.id ? { ...read, details: { ...read.details, replyTo: key.id } } : read;
  },
  encCommentMessage: () => unsupported('encCommentMessage'),
  requestPhoneNumberMessage: () => unsupported('requestPhoneNumberMessage', 'asks for the phone number'),
  placeholderMessage: () => unsupported('placeholderMessage', 'only the phone shows it'),
  questionResponseMessage: otherWords('questionResponseMessage'),
  statusQuestionAnswerMessage: otherWords('statusQuestionAnswerMessage'),
  statusQuotedMessage: otherWords('statusQuotedMessage'),
  statusStickerInteractionMessage: () => unsupported('statusStickerInteractionMessage'),
  statusNotificationMessage: () => unsupported('statusNotificationMessage'),
  newsletterAdminInviteMessage: otherWords('newsletterAdminInviteMessage'),
  newsletterFollowerInviteMessageV2: otherWords('newsletterFollowerInviteMessageV2'),
  bcallMessage: otherWords('bcallMessage'),
  call: () => unsupported('call'),
  chat: ({ displayName }) => unsupported('chat', displayName),
  richResponseMessage: ({ submessages }) => {
    const words = (submessages ?? []).flatMap(({ messageText }) => messageText || []).join('\n');
    return words ? text(words, { type: 'business_message' }) : unsupported('richResponseMessage');
  },
  ephemeralMessage: wrapped('ephemeralMessage'),
  viewOnceMessage: wrapped('viewOnceMessage'),
  viewOnceMessageV2: wrapped('viewOnceMessageV2'),
  viewOnceMessageV2Extension: wrapped('viewOnceMessageV2Extension'),
  documentWithCaptionMessage: wrapped('documentWithCaptionMessage'),
  editedMessage: wrapped('editedMessage'),
  groupMentionedMessage: wrapped('groupMentionedMessage'),
  botInvokeMessage: wrapped('botInvokeMessage'),
  lottieStickerMessage: wrapped('lottieStickerMessage'),
  eventCoverImage: wrapped('eventCoverImage'),
  statusMentionMessage: wrapped('statusMentionMessage'),
  pollCreationOptionImageMessage: wrapped('pollCreationOptionImageMessage'),
  associatedChildMessage: wrapped('associatedChildMessage'),
  groupStatusMentionMessage: wrapped('groupStatusMentionMessage'),
  pollCreationMessageV4: wrapped('pollCreationMessageV4'),
  statusAddYours: wrapped('statusAddYours'),
  groupStatusMessage: wrapped('groupStatusMessage'),
  groupStatusMessageV2: wrapped('groupStatusMessageV2'),
  limitSharingMessage: wrapped('limitSharingMessage'),
  botTaskMessage: wrapped('botTaskMessage'),
  questionMessage: wrapped('questionMessage'),
  botForwardedMessage: wrapped('botForwardedMessage'),
  questionReplyMessage: wrapped('questionReplyMessage'),
  deviceSentMessage: ({ message }, _, depth) => (message ? readContent(message, depth + 1) : null),
  senderKeyDistributionMessage: technical,
  fastRatchetKeySenderKeyDistributionMessage: technical,
  messageContextInfo: technical,
  stickerSyncRmrMessage: technical,
  messageHistoryBundle: technical,
  messageHistoryNotice: technical,
};

/** Messages in messages. Senders could nest more. */
const maxDepth = 8;

/** Returns null for messages without content, such as key exchanges. */
export function readContent(message: proto.IMessage, depth = 0): ReadContent | null {
  if (depth > maxDepth) return unsupported('nested');
  const read = readKinds(message, depth);
  if (read === null) return null;
  const quote = readQuote(message, depth);
  return quote === null ? read : { ...read, details: { ...read.details, ...quote } };
}

function readKinds(message: proto.IMessage, depth: number): ReadContent | null {
  // A decoded message has only the kinds that it contains.
  for (const [kind, value] of Object.entries(message)) {
    if (value === null || value === undefined || value === '' || !(kind in readers)) continue;
    // The value of a kind has the type that its reader takes.
    const read = (readers[kind as Kind] as Reader<Kind>)(value as never, message, depth);
    if (read !== null) return read;
  }
  return null;
}

function readLocation(
  type: 'location' | 'live_location',
  place: proto.Message.ILocationMessage & proto.Message.ILiveLocationMessage,
): ReadContent {
  const [latitude, longitude] = [place.degreesLatitude ?? 0, place.degreesLongitude ?? 0];
  const { name, address } = place;
  const words = [name, address, `${latitude}, ${longitude}`].filter(Boolean).join(', ');
  return text(`[location: ${words}]`, {
    type,
    latitude,
    longitude,
    ...(name && { name }),
    ...(address && { address }),
  });
}

function readContacts(cards: readonly proto.Message.IContactMessage[]): ReadContent {
  const contacts = cards.map(({ displayName, vcard }) => ({ name: displayName ?? '', vcard: vcard ?? '' }));
  const words = contacts.map(({ name, vcard }) => [name, ...readNumbers(vcard)].join(' '));
  return text(`[contact: ${words.join('; ')}]`, { type: 'contacts', contacts });
}

function readPoll(poll: proto.Message.IPollCreationMessage): ReadContent {
  const question = poll.name ?? '';
  const options = (poll.options ?? []).map(({ optionName }) => optionName ?? '');
  const correct = poll.correctAnswer?.optionName;
  const word = poll.pollType === proto.Message.PollType.QUIZ ? 'quiz' : 'poll';
  const right = correct ? `; right: ${correct}` : '';
  return text(`[${word}: ${question} (${options.join(', ')})${right}]`, {
    type: 'poll',
    question,
    options,
    ...(correct && { correct }),
  });
}

function readPollResult({ name, pollVotes }: proto.Message.IPollResultSnapshotMessage): ReadContent {
  const question = name ?? '';
  const options = (pollVotes ?? []).map(
    ({ optionName, optionVoteCount }) => `${optionName ?? ''}: ${Number(optionVoteCount ?? 0)}`,
  );
  return text(`[poll result: ${question} (${options.join(', ')})]`, { type: 'poll', question, options });
}

function readEvent({
  name,
  description,
  startTime,
  location,
  joinLink,
  isCanceled,
}: proto.Message.IEventMessage) {
  const at = readTime(startTime, 1000);
  const words = [name, at.startsAt, location?.name, location?.address, joinLink].filter(Boolean).join(', ');
  const shown = `[${isCanceled ? 'cancelled event' : 'event'}: ${words}]`;
  return text([shown, description].filter(Boolean).join('\n'), { type: 'event', ...at });
}

const reply = (
  type: 'button_reply' | 'list_reply' | 'template_reply',
  words: string | null | undefined,
  choice: string | null | undefined,
): ReadContent => text(words || choice || '[reply]', { type, ...(choice && { choice }) });

function readReaction({ text: shown, key }: proto.Message.IReactionMessage): ReadContent {
  const emoji = shown ?? '';
  return text(emoji ? `[reaction ${emoji}]` : '[reaction removed]', {
    type: 'reaction',
    emoji,
    ...readId(key),
  });
}

function readProtocol(
  { key, type, editedMessage }: proto.Message.IProtocolMessage,
  _: proto.IMessage,
  depth: number,
): ReadContent | null {
  if (key?.id && type === REVOKE) return text('[deleted a message]', { type: 'deletion', ...readId(key) });
  if (type !== MESSAGE_EDIT || !editedMessage) return null;
  const edited = readContent(editedMessage, depth + 1);
  return edited && text(`[edited] ${edited.content.text}`, { type: 'edit', ...readId(key) });
}

/** Returns the id of the quoted message, and what the sender's app says about it. */
function readQuote(
  message: proto.IMessage,
  depth: number,
): Pick<MessageDetails, 'replyTo' | 'quoted'> | null {
  for (const part of Object.values(message)) {
    const context = readMember(part, 'contextInfo');
    const id = readMember(context, 'stanzaId');
    if (typeof id !== 'string' || id === '') continue;
    // A message of the library's types has only such a member here.
    const quoted = readMember(context, 'quotedMessage') as proto.IMessage | null | undefined;
    const read = quoted ? readContent(quoted, depth + 1) : null;
    if (read === null) return { replyTo: id };
    const { text: words } = read.content;
    return { replyTo: id, quoted: { kind: toKind(read), text: words.slice(0, longestQuote).toWellFormed() } };
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
