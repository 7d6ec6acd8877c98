import type { InboundMessage, MessageContent, MessageDetails } from '../messaging-network.ts';
import type { ChatId, FileReference, Message, Update, User } from './updates.ts';
import { contactKey, messageKey } from './updates.ts';

/** A message without its file, which `toContent` adds. */
export interface ReadUpdate {
  message: InboundMessage;
  file: InboundFile | null;
}

interface InboundFile extends FileReference {
  toContent(bytes: Buffer): MessageContent;
}

/** Returns what an update of a chat with one person says. */
export function readUpdate(botId: string, update: Update): ReadUpdate[] {
  const { update_id: id, message_reaction: reaction, callback_query: button } = update;
  const message = update.message ?? update.business_message;
  const edited = update.edited_message ?? update.edited_business_message;
  if ((message ?? edited)?.sender_business_bot !== undefined) return [];
  if (message !== undefined) return [readMessage(botId, message)];
  if (edited !== undefined) return [readEdit(botId, edited, id)];
  if (button?.message !== undefined) return [readButton(botId, button, button.message)];
  if (reaction !== undefined) {
    const emoji = reaction.new_reaction.findLast((each) => each.emoji !== undefined)?.emoji ?? '';
    const words = emoji === '' ? '[reaction removed]' : `[reaction ${emoji}]`;
    const about = messageKey(botId, reaction.chat, reaction.message_id);
    return [describe(reaction.chat, `${about}.${id}`, words, { type: 'reaction', emoji, about })];
  }
  const { chat = { id: 0 }, message_ids: deleted = [] } = update.deleted_business_messages ?? {};
  return deleted.map((messageId) => {
    const about = messageKey(botId, chat, messageId);
    return describe(chat, `${about}.${id}`, '[deleted a message]', { type: 'deletion', about });
  });
}

const describe = (chat: ChatId, networkId: string, text: string, details: MessageDetails): ReadUpdate => ({
  message: {
    networkId,
    contactNumber: contactKey(chat),
    fromMe: false,
    sentAt: new Date(),
    content: { kind: 'text', text },
    details,
  },
  file: null,
});

const longestQuote = 1000;

function readMessage(botId: string, message: Message): ReadUpdate {
  const { chat, from, reply_to_message: quoted } = message;
  const { text, details, file = null } = readContent(message);
  // In the chats of a business account, its people write, too.
  const fromMe = message.business_connection_id !== undefined && from?.id !== chat.id;
  const quote = quoted && {
    replyTo: messageKey(botId, chat, quoted.message_id),
    quoted: { kind: 'text' as const, text: readContent(quoted).text.slice(0, longestQuote).toWellFormed() },
  };
  return {
    message: {
      networkId: messageKey(botId, chat, message.message_id),
      contactNumber: contactKey(chat),
      ...(!fromMe && { contactName: nameOf(from) }),
      fromMe,
      sentAt: new Date(message.date * 1000),
      content: { kind: 'text', text },
      ...((details ?? quote) && { details: { ...details, ...quote } }),
    },
    file,
  };
}

function readEdit(botId: string, edited: Message, updateId: number): ReadUpdate {
  const { message } = readMessage(botId, edited);
  return {
    message: {
      ...message,
      networkId: `${message.networkId}.${updateId}`,
      sentAt: new Date((edited.edit_date ?? edited.date) * 1000),
      content: { kind: 'text', text: `[edited] ${readContent(edited).text}` },
      details: { type: 'edit', about: message.networkId },
    },
    file: null,
  };
}

function readButton(
  botId: string,
  { id, data, from }: NonNullable<Update['callback_query']>,
  { chat, message_id: messageId, reply_markup: markup }: Message,
): ReadUpdate {
  const button = markup?.inline_keyboard?.flat().find(({ callback_data: each }) => each === data);
  const read = describe(chat, `button.${id}`, button?.text ?? data ?? '[button]', {
    type: 'button_reply',
    ...(data !== undefined && { choice: data }),
    replyTo: messageKey(botId, chat, messageId),
  });
  return { ...read, message: { ...read.message, contactName: nameOf(from) } };
}

const nameOf = (user: User | undefined): string =>
  [user?.first_name, user?.last_name].filter(Boolean).join(' ') || (user?.username ?? '');

interface Content {
  text: string;
  details?: MessageDetails;
  file?: InboundFile;
}

function readContent(message: Message): Content {
  const { text, location, venue, contact, poll } = message;
  if (text !== undefined) return { text };
  const found = findFile(message);
  if (found !== null) return readFile(found, message.caption ?? '');
  if (venue !== undefined || location !== undefined) {
    const { latitude = 0, longitude = 0 } = venue?.location ?? location ?? {};
    const named = venue && { name: venue.title, address: venue.address };
    const words = [named?.name, named?.address, `${latitude}, ${longitude}`].filter(Boolean).join(', ');
    const type = location?.live_period === undefined ? 'location' : 'live_location';
    return { text: `[location: ${words}]`, details: { type, latitude, longitude, ...named } };
  }
  if (contact !== undefined) {
    const name = nameOf({ id: 0, ...contact });
    const contacts = [{ name, vcard: contact.vcard ?? '' }];
    return { text: `[contact: ${name} ${contact.phone_number}]`, details: { type: 'contacts', contacts } };
  }
  if (poll !== undefined) {
    const { question } = poll;
    const options = poll.options.map((option) => option.text);
    return {
      text: `[poll: ${question} (${options.join(', ')})]`,
      details: { type: 'poll', question, options },
    };
  }
  const contentType = Object.keys(message).find((name) => !envelope.has(name)) ?? 'unknown';
  return { text: `[${contentType}]`, details: { type: 'unsupported', contentType } };
}

/** The members of every message. */
const envelope: ReadonlySet<string> = new Set(
  'message_id date edit_date chat from business_connection_id reply_to_message reply_markup'.split(' '),
);

type FileType = 'image' | 'voice note' | 'audio' | 'video' | 'sticker' | 'document';
type FoundFile = [type: FileType, file: FileReference, mimeType: string];

function findFile({ photo, voice, audio, video, document, sticker, ...message }: Message): FoundFile | null {
  const largest = photo?.at(-1);
  if (largest !== undefined) return ['image', largest, 'image/jpeg'];
  if (voice !== undefined) return ['voice note', voice, 'audio/ogg'];
  if (audio !== undefined) return ['audio', audio, 'audio/mpeg'];
  // An animation is a document, too, for apps that do not know it.
  const moving = message.video_note ?? message.animation ?? video;
  if (moving !== undefined) return ['video', moving, 'video/mp4'];
  if (sticker?.is_animated || sticker?.is_video) return ['sticker', sticker, 'application/octet-stream'];
  if (sticker !== undefined) return ['sticker', sticker, 'image/webp'];
  return document === undefined ? null : ['document', document, 'application/octet-stream'];
}

function readFile([type, file, usualType]: FoundFile, caption: string): Content {
  const { file_name: fileName = type, mime_type: mimeType = usualType, duration: seconds = 0 } = file;
  const isOwnKind = type === 'image' || type === 'voice note' || type === 'document';
  return {
    text: caption || (file.file_name === undefined ? `[${type}]` : `[${type} ${fileName}]`),
    ...(!isOwnKind && { details: { type } }),
    file: {
      ...file,
      toContent(bytes) {
        if (type === 'voice note')
          return { kind: 'voice', mimeType, bytes, seconds, waveform: new Uint8Array(64) };
        const isImage = type === 'image' || usualType === 'image/webp';
        return isImage
          ? { kind: 'image', mimeType, bytes, caption }
          : { kind: 'document', mimeType, bytes, fileName, caption };
      },
    },
  };
}
