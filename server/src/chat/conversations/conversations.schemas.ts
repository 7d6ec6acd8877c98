import { type Static, Type } from 'typebox';
import { Id, Nullable, Text, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery } from '../../platform/http/pagination.ts';
import { Label, Labels } from '../contacts/contacts.schemas.ts';
import { MessageRecord } from '../messages/messages.schemas.ts';

const ConversationState = Type.Enum(['bot', 'paused', 'closed'], {
  description:
    '`paused`: a person has taken over and the bot does not answer. `closed`: a person has finished with it. The next message opens it, and the bot answers.',
});

const flags = [
  'human_requested',
  'out_of_credits',
  'payment_captured',
  'provider_failed',
  'automated_contact',
  'bot_not_published',
] as const;

const LastMessage = Type.Object(
  {
    id: Id(),
    ...Type.Pick(MessageRecord, ['direction', 'origin', 'kind']).properties,
    text: Type.String({ description: 'The first 160 characters.' }),
    created_at: Timestamp(),
  },
  { title: 'LastMessage' },
);

export const Conversation = Type.Object(
  {
    id: Id(),
    team_id: Id(),
    device_id: Id(),
    contact_number: Type.String({
      description:
        'International format, or an id with the scheme of the network while the number is unknown: `lid:`, `bsuid:`, `tg:` or `web:`.',
    }),
    contact: Type.Object(
      {
        name: Nullable(
          Type.String({ description: 'As the team calls the contact, or else as the contact calls itself.' }),
        ),
        labels: Labels(),
        blocked: Type.Boolean(),
        number: Nullable(Type.String({ description: 'Null while the number is unknown.' })),
        addresses: Type.Array(Type.String(), {
          description:
            "The contact's addresses in the network: numbers, aliases and ids. Empty if not needed.",
        }),
        merged: Type.Array(Type.Object({ contact_number: Type.String(), merged_at: Timestamp() }), {
          description: 'Contacts that turned out to be this one. Their messages moved here.',
        }),
      },
      { title: 'ConversationContact' },
    ),
    state: ConversationState,
    paused_until: Type.Optional(Timestamp({ description: 'Absent when the pause has no end.' })),
    flag: Type.Optional(
      Type.Enum([...flags], {
        description: 'Why a person should look at the conversation.',
      }),
    ),
    flag_reason: Type.Optional(
      Type.String({
        description:
          'With the flag `provider_failed`: `auth`, `invalid_config`, `quota_exhausted`, `rate_limited`, `transient`, `refused`, `rejected` or `not_found`.',
      }),
    ),
    window_open_until: Type.Optional(
      Timestamp({
        'x-extension': true,
        description:
          'Until when the network takes every message to the contact: 24 hours after the contact last wrote. Later, it takes only templates. Absent on networks without such a window.',
      }),
    ),
    last_message_at: Timestamp({
      description:
        'When the contact or a person of the team last wrote. Replies of the bot and active messages do not change it.',
    }),
    last_message: Type.Optional(LastMessage),
    unread: Type.Integer({
      description:
        'Messages of the contact since a person last read the conversation or wrote in it. At most 99 messages are counted.',
    }),
    assignee: Type.Optional(
      Type.Object(
        { user_id: Id(), name: Type.String() },
        { title: 'Assignee', description: 'Who takes care of the conversation. Absent: nobody.' },
      ),
    ),
    labels: Labels(),
    team_name: Type.String(),
    device_name: Nullable(Type.String({ description: 'Null if the device was deleted.' })),
    created_at: Timestamp(),
  },
  { title: 'Conversation' },
);
export type Conversation = Static<typeof Conversation>;

export const ListConversations = Type.Object(
  {
    ...cursorQuery,
    team_id: Type.Optional(Id()),
    device_id: Type.Optional(Id()),
    state: Type.Optional(ConversationState),
    bot_id: Type.Optional(Id({ description: 'Conversations with the devices of this bot.' })),
    flag: Type.Optional(
      Type.Enum([...flags, 'unanswered', 'any'], {
        description:
          '`unanswered`: messages wait for an answer (`out_of_credits`, `provider_failed` or `bot_not_published`).',
      }),
    ),
    outcome: Type.Optional(
      Type.Enum(MessageRecord.properties.outcome.enum, {
        description: "The outcome of the contact's newest message.",
      }),
    ),
    assignee: Type.Optional(
      Type.String({
        pattern: '^(none|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
        'x-pattern-means': 'must be none or the id of a user',
        description: 'The id of a user, or `none`.',
      }),
    ),
    rating: Type.Optional(
      Type.Enum(['up', 'down'], {
        description: 'Whether an answer of the bot has a thumb of a person or of the contact.',
      }),
    ),
    label: Type.Optional(Label()),
    unread: Type.Optional(Type.Boolean({ description: 'Whether a message of the contact is unread.' })),
    q: Type.Optional(
      Text(100, {
        minLength: 1,
        description:
          "Words or their beginnings, all in one message, in the first 4096 characters of it, or parts of the contact's name. A part of the number finds it, too: at least 3 digits, also with a leading 0 and punctuation.",
      }),
    ),
    contact_number: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 20,
        pattern: '^(\\+|\\+?[0-9]+)$',
        'x-pattern-means': 'must be digits, with an optional +',
        description: 'The beginning of the number. The `+` is optional.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(['created_at', 'last_message_at'], {
        description:
          'The newest comes first. Default: `created_at`. A cursor works with the order of its list only. With `last_message_at`, a conversation that gets a message meanwhile moves to the front of the list, and later pages skip it.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListConversations = Static<typeof ListConversations>;

export const ListConversationMessages = Type.Object(cursorQuery, { additionalProperties: false });
export type ListConversationMessages = Static<typeof ListConversationMessages>;

export const WriteMessage = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: 4096,
      // The pattern accepts the empty text, which `minLength` already reports.
      pattern: '^(?:(?=[\\s\\S]*\\S)[^\\u0000\\ud800-\\udfff]*)?$',
      'x-pattern-means': 'must not be blank or contain U+0000',
    }),
  },
  { additionalProperties: false, title: 'WriteMessage' },
);
export type WriteMessage = Static<typeof WriteMessage>;
