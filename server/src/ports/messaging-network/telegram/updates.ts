/** The members that Parley reads of what the Bot API pushes: https://core.telegram.org/bots/api#update. */
export interface Update {
  update_id: number;
  message?: Message;
  edited_message?: Message;
  business_message?: Message;
  edited_business_message?: Message;
  deleted_business_messages?: { chat: Chat; message_ids: number[] };
  message_reaction?: { chat: Chat; message_id: number; new_reaction: { emoji?: string }[] };
  callback_query?: { id: string; from: User; data?: string; message?: Message };
}

/** Telegram pushes some of them only when they are asked for. */
export const updateTypes = [
  'message',
  'edited_message',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'message_reaction',
  'callback_query',
] as const satisfies (keyof Update)[];

export interface Chat {
  id: number;
  type: 'private' | 'group' | 'supergroup' | 'channel';
}

export interface User {
  id: number;
  first_name?: string;
  last_name?: string;
  username?: string;
}

export interface FileReference {
  file_id: string;
  /** For some time, after it was asked for. */
  file_path?: string;
  file_size?: number;
  file_name?: string;
  mime_type?: string;
  duration?: number;
}

export interface Message {
  message_id: number;
  date: number;
  edit_date?: number;
  chat: Chat;
  from?: User;
  business_connection_id?: string;
  /** The bot itself sent it in the name of the business. */
  sender_business_bot?: User;
  reply_to_message?: Message;
  reply_markup?: { inline_keyboard?: { text: string; callback_data?: string }[][] };
  text?: string;
  caption?: string;
  /** The same picture in several sizes. */
  photo?: FileReference[];
  voice?: FileReference;
  audio?: FileReference;
  document?: FileReference;
  video?: FileReference;
  video_note?: FileReference;
  animation?: FileReference;
  sticker?: FileReference & { is_animated?: boolean; is_video?: boolean };
  location?: { latitude: number; longitude: number; live_period?: number };
  venue?: { location: { latitude: number; longitude: number }; title: string; address: string };
  contact?: { phone_number: string; first_name: string; last_name?: string; vcard?: string };
  poll?: { question: string; options: { text: string }[] };
}

export type ChatId = Pick<Chat, 'id'>;

export const contactKey = ({ id }: ChatId): string => `tg:${id}`;

/** The number of a message is unique among the chats of a bot, and a device may get another bot. */
export const messageKey = (botId: string, { id }: ChatId, messageId: number): string =>
  `${botId}.${id}.${messageId}`;

/** The chat that an update is about, or null for an update that Parley does not read. */
export function chatOf(update: Update): Chat | null {
  const [about] = updateTypes.flatMap((type) => update[type] ?? []);
  return (about && ('chat' in about ? about.chat : about.message?.chat)) ?? null;
}
