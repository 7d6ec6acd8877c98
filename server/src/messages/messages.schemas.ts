import { type Static, Type } from 'typebox';
import { Id, PhoneNumber, Text, Timestamp } from '../http/fields.ts';
import { pageQuery } from '../http/pagination.ts';

const Direction = Type.Enum(['in', 'out']);
const MessageStatus = Type.Enum([
  'received',
  'answered',
  'ignored',
  'accepted',
  'sent',
  'delivered',
  'read',
  'refused',
  'unknown',
]);
const generations = ['generated', 'failed'] as const;

export const MessageRecord = Type.Object(
  {
    id: Id(),
    team_id: Id(),
    device_id: Id(),
    contact_number: Type.String(),
    direction: Direction,
    origin: Type.Enum(['contact', 'bot', 'api', 'person']),
    kind: Type.Enum(['text', 'image', 'voice', 'document']),
    text: Type.String(),
    status: MessageStatus,
    failure: Type.Optional(
      Type.String({ description: 'Why the network refused the message, or why its outcome is unknown.' }),
    ),
    generation: Type.Optional(Type.Enum(generations)),
    refunded: Type.Boolean({ description: 'Whether the charge was refunded.' }),
    sent_at: Type.Optional(Timestamp()),
    created_at: Timestamp(),
  },
  { title: 'MessageRecord' },
);
export type MessageRecord = Static<typeof MessageRecord>;

export const ListMessages = Type.Object(
  {
    ...pageQuery,
    team_id: Type.Optional(Id()),
    device_id: Type.Optional(Id()),
    contact_number: Type.Optional(
      Type.String({ minLength: 1, maxLength: 20, description: 'International format. The `+` is optional.' }),
    ),
    direction: Type.Optional(Direction),
    status: Type.Optional(MessageStatus),
  },
  { additionalProperties: false },
);
export type ListMessages = Static<typeof ListMessages>;

/** Treats null like an absent field. */
const orNull = (options: { pattern: string; maxLength: number; description: string }) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

/** Endpoints, Active messages. */
export const SendMessage = Type.Object(
  {
    device_id: Id({ description: 'The device that sends the message.' }),
    message: Text(4096, { minLength: 1 }),
    destination_number: PhoneNumber({ description: 'International format.' }),
    send_as_audio: Type.Optional(Type.Boolean({ default: false })),
    ai_generates_message: Type.Optional(Type.Boolean({ default: false })),
    image_url: Type.Optional(
      orNull({
        pattern: '^[hH][tT][tT][pP][sS]?://',
        maxLength: 2048,
        description: 'Fetched once. The address must be public.',
      }),
    ),
    image_mime_type: Type.Optional(
      orNull({
        pattern: '^[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+$',
        maxLength: 127,
        description: 'The media type that the image must have.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SendMessage = Static<typeof SendMessage>;

export const SentMessage = Type.Object(
  {
    device_id: Id(),
    name: Type.String({ description: "The device's name." }),
    destinationNumber: Type.String(),
    sendAsAudio: Type.Boolean(),
    aiGeneratesMessage: Type.Boolean(),
    imageUrl: Type.Union([Type.String(), Type.Null()]),
    imageMimeType: Type.Union([Type.String(), Type.Null()]),
    usage: Type.Object(
      {
        activeMessagesUsed: Type.Integer(),
        activeMessagesQuota: Type.Integer(),
        activeMessagesRemaining: Type.Integer({ description: 'Includes the soft margin.' }),
      },
      { title: 'MessageUsage' },
    ),
    messageId: Type.String({ format: 'uuid', 'x-extension': true }),
    status: Type.Enum(['sent', 'accepted'], {
      'x-extension': true,
      description: '`accepted`: the network did not acknowledge the message within the time of the request.',
    }),
    generation: Type.Optional(Type.Enum(generations, { 'x-extension': true })),
  },
  { title: 'SentMessage' },
);
export type SentMessage = Static<typeof SentMessage>;

export const quotaHeaders = {
  'X-RateLimit-Limit': Type.Integer({ description: 'Active messages allowed in the month.' }),
  'X-RateLimit-Remaining': Type.Integer(),
  'X-RateLimit-Used': Type.Integer(),
};
