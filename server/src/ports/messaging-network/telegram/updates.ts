import { type Static, Type } from 'typebox';

const text = Type.Optional(Type.String());
const number = Type.Optional(Type.Number());
const flag = Type.Optional(Type.Boolean());
const int = Type.Integer();

const Chat = Type.Object({ id: int, type: Type.Enum(['private', 'group', 'supergroup', 'channel']) });
export type Chat = Static<typeof Chat>;

const names = { first_name: text, last_name: text, username: text };
const User = Type.Object({ id: int, ...names });
export type User = Static<typeof User>;

/** `file_path` is there for some time after the file was asked for. */
const file = {
  file_id: Type.String(),
  file_path: text,
  file_size: number,
  file_name: text,
  mime_type: text,
  duration: number,
};
const File = Type.Object(file);
export type FileReference = Static<typeof File>;

const Location = Type.Object({ latitude: Type.Number(), longitude: Type.Number(), live_period: number });
const Emoji = Type.Object({ emoji: text });
const Option = Type.Object({ text: Type.String() });
const buttons = Type.Array(Type.Array(Type.Object({ text: Type.String(), callback_data: text })));

const message = {
  message_id: int,
  date: int,
  edit_date: Type.Optional(int),
  chat: Chat,
  from: Type.Optional(User),
  business_connection_id: text,
  /** The bot itself sent it in the name of the business. */
  sender_business_bot: Type.Optional(User),
  reply_markup: Type.Optional(Type.Object({ inline_keyboard: Type.Optional(buttons) })),
  text,
  caption: text,
  /** The same picture in several sizes. */
  photo: Type.Optional(Type.Array(File)),
  ...Type.Partial(
    Type.Object({ voice: File, audio: File, document: File, video: File, video_note: File, animation: File }),
  ).properties,
  sticker: Type.Optional(Type.Object({ ...file, is_animated: flag, is_video: flag })),
  location: Type.Optional(Location),
  venue: Type.Optional(Type.Object({ location: Location, title: Type.String(), address: Type.String() })),
  contact: Type.Optional(Type.Object({ phone_number: Type.String(), ...names, vcard: text })),
  poll: Type.Optional(Type.Object({ question: Type.String(), options: Type.Array(Option) })),
};
const Message = Type.Object({ ...message, reply_to_message: Type.Optional(Type.Object(message)) });
export type Message = Static<typeof Message>;

/** Telegram pushes some of them only when they are asked for. */
const events = {
  message: Message,
  edited_message: Message,
  business_message: Message,
  edited_business_message: Message,
  deleted_business_messages: Type.Object({ chat: Chat, message_ids: Type.Array(int) }),
  message_reaction: Type.Object({ chat: Chat, message_id: int, new_reaction: Type.Array(Emoji) }),
  callback_query: Type.Object({ id: Type.String(), from: User, data: text, message: Type.Optional(Message) }),
};
export const updateTypes = Object.keys(events) as (keyof typeof events)[];

/** The members that Parley reads of what the Bot API pushes: https://core.telegram.org/bots/api#update. */
export const Update = Type.Object({ update_id: int, ...Type.Partial(Type.Object(events)).properties });
export type Update = Static<typeof Update>;

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
