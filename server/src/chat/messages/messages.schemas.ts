import { type Static, Type } from 'typebox';
import { TemplateLanguage } from '../../devices/templates.schemas.ts';
import { Id, Nullable, PhoneNumber, Text, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery } from '../../platform/http/pagination.ts';
import { messageDetailTypes } from '../../ports/messaging-network/messaging-network.ts';

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

export const MessageDetails = Type.Object(
  {
    type: Type.Optional(Type.Enum([...messageDetailTypes])),
    message_id: Type.Optional(
      Id({ description: 'The message that a reaction, an edit, a deletion or a vote is about, if known.' }),
    ),
    reply_to_id: Type.Optional(Id({ description: 'The quoted message, if known.' })),
    quoted: Type.Optional(
      Type.Object(
        { kind: Type.Enum(['text', 'image', 'voice', 'document']), text: Type.String() },
        { description: "A quoted message that Parley does not have, as the sender's app describes it." },
      ),
    ),
    deleted: Type.Optional(
      Type.Literal(true, { description: 'The sender deleted the message. The bot no longer sees it.' }),
    ),
    corrected: Type.Optional(
      Type.Literal(true, {
        description: 'The sender edited the message after its answer. The bot sees only the edit.',
      }),
    ),
    applied: Type.Optional(
      Type.Literal(true, {
        description: 'Of an edit: it changed the text of the other message before that was answered.',
      }),
    ),
    original_text: Type.Optional(
      Type.String({ description: 'The first `text` of a message that an edit changed.' }),
    ),
    latitude: Type.Optional(Type.Number()),
    longitude: Type.Optional(Type.Number()),
    name: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
    contacts: Type.Optional(Type.Array(Type.Object({ name: Type.String(), vcard: Type.String() }))),
    question: Type.Optional(Type.String()),
    options: Type.Optional(
      Type.Array(Type.String(), { description: 'The options of a poll, or those that a vote chose.' }),
    ),
    correct: Type.Optional(Type.String({ description: 'The right option of a quiz.' })),
    items: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          id: Type.Optional(Type.String({ description: "The seller's id of the product." })),
          quantity: Type.Optional(Type.Number()),
          amount: Type.Optional(Type.Number({ description: 'The price of one.' })),
          currency: Type.Optional(Type.String()),
        }),
      ),
    ),
    order_id: Type.Optional(Type.String({ description: "The network's id of an order." })),
    item_count: Type.Optional(Type.Number()),
    amount: Type.Optional(Type.Number({ description: 'The total of an order or a payment.' })),
    currency: Type.Optional(Type.String()),
    answers: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
        description: 'The fields of a form that the contact filled in.',
      }),
    ),
    starts_at: Type.Optional(Type.String({ description: 'When an event or a call is planned.' })),
    video: Type.Optional(Type.Boolean({ description: 'Whether a call was one with video.' })),
    content_type: Type.Optional(
      Type.String({ description: "Of type `unsupported`: the network's name of the content." }),
    ),
    automatic: Type.Optional(
      Type.Literal(true, {
        description: 'The app of the business sent the message by itself. It does not pause the bot.',
      }),
    ),
    emoji: Type.Optional(Type.String({ description: 'Empty when the reaction was removed.' })),
    choice: Type.Optional(Type.String({ description: "The sender's id of the chosen button or row." })),
    missing_media: Type.Optional(Type.Enum(['too_large', 'unavailable'])),
  },
  { title: 'MessageDetails', description: 'The structure of a message that `text` only describes.' },
);

const parameter = Type.String({ minLength: 1, maxLength: 1024 });

const Template = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Of an approved template of the device.',
    }),
    language: TemplateLanguage,
    parameters: Type.Array(parameter, {
      maxItems: 20,
      description: 'The values of the variables of the body, in order. Without line breaks and tabs.',
    }),
  },
  {
    title: 'MessageTemplate',
    'x-extension': true,
    additionalProperties: false,
    description:
      'The network gets this template, also for contacts who have not written for 24 hours. The console shows the text of the message. Not together with an image, audio, options or `ai_generates_message`.',
  },
);

const Choices = Type.Object(
  {
    options: Type.Array(
      Type.Object(
        {
          title: Type.String({ minLength: 1, maxLength: 24 }),
          id: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 200,
              description: 'Comes back as `details.choice` of the answer. Default: the title.',
            }),
          ),
          description: Type.Optional(Type.String({ minLength: 1, maxLength: 72 })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10 },
    ),
    button: Type.Optional(
      Type.String({ minLength: 1, maxLength: 20, description: 'Opens a list of options. Default: `…`.' }),
    ),
  },
  {
    title: 'Choices',
    'x-extension': true,
    additionalProperties: false,
    description:
      'Options for the contact: up to three short ones are buttons, more are a list. Networks without buttons get them as lines of the text.',
  },
);

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
    outcome: Type.Optional(
      Type.Enum(
        [
          'waiting',
          'answered',
          'bot_not_published',
          'team_banned',
          'paused',
          'rate_limited',
          'automated_contact',
          'contact_blocked',
          'too_old',
          'deleted',
          'out_of_credits',
          'provider_failed',
          'audio_not_allowed',
          'unsupported_content',
        ],
        {
          description:
            'Of a message from a contact: whether the bot answered it, or why not. `out_of_credits` and `provider_failed` are answered later, when that is possible. For `audio_not_allowed`, `unsupported_content` and a voice note with `provider_failed`, the bot asked for text. `rate_limited`: the contact or all contacts of the device wrote far too many messages. `automated_contact`: the contact seems to be a machine. `contact_blocked`: the team blocked the contact. `too_old`: it arrived later than the `answer_max_age_minutes` of the bot, and the conversation is flagged. `deleted`: the contact deleted it before the bot answered.',
        },
      ),
    ),
    outcome_reason: Type.Optional(
      Type.String({ description: 'The kind of failure, with the outcome `provider_failed`.' }),
    ),
    generation: Type.Optional(Type.Enum(generations)),
    rating: Type.Optional(
      Type.Enum(['up', 'down'], {
        description: 'Of a message of the bot: the thumb of a person of the team.',
      }),
    ),
    contact_rating: Type.Optional(
      Type.Enum(['up', 'down'], { description: 'The thumb of the contact, by a reaction 👍 or 👎.' }),
    ),
    refunded: Type.Boolean({ description: 'Whether the charge was refunded.' }),
    mime_type: Type.Optional(
      Type.String({
        description: 'The type of the file that a contact or a person sent (`GET /messages/{id}/media`).',
      }),
    ),
    details: Type.Optional(MessageDetails),
    template: Type.Optional(Template),
    choices: Type.Optional(Choices),
    failure_code: Type.Optional(Type.Integer({ description: "The network's number of the error." })),
    pricing: Type.Optional(
      Type.Object(
        {
          category: Type.String({
            description: 'As the network names it, like `service`, `utility` or `marketing`.',
          }),
          billable: Type.Boolean(),
          amount: Nullable(
            Type.Number({
              description:
                'The price of the day of the delivery, 0 if it is not billed. Null: `MESSAGE_PRICES` had no price for it.',
            }),
          ),
          currency: Nullable(Type.String({ description: 'That of `MESSAGE_PRICES`.' })),
        },
        {
          title: 'Pricing',
          description: 'What the network charges. Absent until it reports it for a delivered message.',
        },
      ),
    ),
    sent_at: Type.Optional(Timestamp()),
    created_at: Timestamp(),
  },
  { title: 'MessageRecord' },
);
export type MessageRecord = Static<typeof MessageRecord>;

export const ListMessages = Type.Object(
  {
    ...cursorQuery,
    team_id: Type.Optional(Id()),
    device_id: Type.Optional(Id()),
    contact_number: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 160,
        description: 'International format, or an id with the scheme of the network. The `+` is optional.',
      }),
    ),
    direction: Type.Optional(Direction),
    status: Type.Optional(MessageStatus),
  },
  { additionalProperties: false },
);
export type ListMessages = Static<typeof ListMessages>;

/** Treats null like an absent field. */
const orNull = (options: {
  pattern: string;
  'x-pattern-means': string;
  maxLength: number;
  description: string;
}) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

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
        'x-pattern-means': 'must be an http(s) URL',
        maxLength: 2048,
        description: 'Fetched once. The address must be public.',
      }),
    ),
    image_mime_type: Type.Optional(
      orNull({
        pattern: '^[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+$',
        'x-pattern-means': 'must be a media type, like image/png',
        maxLength: 127,
        description: 'The media type that the image must have.',
      }),
    ),
    template: Type.Optional(Template),
    choices: Type.Optional(Choices),
    when_restricted: Type.Optional(
      Type.Enum(['refuse', 'hold'], {
        'x-extension': true,
        // A default would become part of the request that an Idempotency-Key belongs to, and earlier versions had none.
        description:
          'While the network refuses new chats of the device: `refuse` the message to a new contact (the default), or `hold` it until the restriction ends.',
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
