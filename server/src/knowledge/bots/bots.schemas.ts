import { type Static, Type } from 'typebox';
import { expectedUpdate } from '../../platform/http/expected-update.ts';
import { Id, Name, Text, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery, pageQuery } from '../../platform/http/pagination.ts';
import { webhookSecretPattern } from '../../platform/shared/webhook-signature.ts';
import { Disclosure } from '../../tenancy/teams/disclosure.ts';
import type { HeadersInput } from './action-headers.ts';

/** Marks fields that extend the original API. */
const extension = { 'x-extension': true } as const;

/** A single line of text, empty if unset. */
const Label = (maxLength: number, options: { minLength?: number; description?: string } = {}) =>
  Type.String({
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$',
    'x-pattern-means': 'must not contain control characters or half a surrogate pair',
    ...options,
  });

const Flag = () => Type.Boolean();
const ExtensionFlag = () => Type.Boolean(extension);

const actionMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type ActionMethod = (typeof actionMethods)[number];
const bodyItemTypes = ['string', 'number', 'boolean'] as const;
export type BodyItemType = (typeof bodyItemTypes)[number];

const Method = (options = {}) =>
  Type.Unsafe<ActionMethod>({ type: 'string', enum: [...actionMethods], ...options });
const ItemType = (options = {}) =>
  Type.Unsafe<BodyItemType>({ type: 'string', enum: [...bodyItemTypes], ...options });

const headerFields = { key: Type.String(), value: Type.String() };
/** A value that the AI fills in: a placeholder, or a body item without a value. */
const Parameter = Type.Object({
  name: Type.String(),
  description: Type.String(),
  required: Type.Boolean(),
});

export const Action = Type.Object(
  {
    id: Id(),
    name: Type.String(),
    description: Type.String(),
    endpoint: Type.String(),
    method: Method(),
    headers: Type.Object({
      ...headerFields,
      all: Type.Optional(
        Type.Array(Type.Object(headerFields), {
          ...extension,
          description: 'All headers, if there are several.',
        }),
      ),
    }),
    body: Type.Array(Type.Object({ key: Type.String(), value: Type.String(), type: ItemType() })),
    parameters: Type.Optional(
      Type.Array(Parameter, { ...extension, description: 'Absent if no value is described.' }),
    ),
    signed: Type.Optional(
      Type.Boolean({ ...extension, description: 'True if calls are signed. Otherwise absent.' }),
    ),
  },
  { title: 'BotAction' },
);

const HeaderValue = Text(8192);
const Headers = Type.Unsafe<HeadersInput>({
  title: 'BotActionHeadersInput',
  type: 'object',
  description:
    'One header as `{key, value}`, a map of names to values, or the form that get returns. `key` or `value` alone is a header of that name. Values are encrypted at rest and sent in UTF-8. The AI fills `{{name}}` in them. They may contain no control characters except the tab. These headers may not be set: Host, Content-Length, Transfer-Encoding, Connection, Keep-Alive, Upgrade, TE, Trailer, Expect, Proxy-*. Parley replaces an Accept-Encoding that allows more than gzip, deflate, br and identity.',
  properties: {
    all: {
      ...extension,
      type: 'array',
      maxItems: 50,
      items: Type.Object(
        { key: Label(256), value: HeaderValue },
        { title: 'BotActionHeaderInput', additionalProperties: false },
      ),
    },
  },
  maxProperties: 50,
  additionalProperties: HeaderValue,
});

const BodyItemInput = Type.Object(
  {
    key: Label(200, { minLength: 1 }),
    value: Text(10_000, {
      description: 'If empty, the AI fills it as a parameter named like the key. A number is sent unchanged.',
    }),
    type: Type.Optional(ItemType({ ...extension, description: 'Defaults to string for a new item.' })),
  },
  { title: 'BotActionBodyItemInput', additionalProperties: false },
);
export type BodyItemInput = Static<typeof BodyItemInput>;

const ParameterInput = Type.Object(
  {
    name: Label(200, {
      minLength: 1,
      description: 'The name of a placeholder, or the key of a body item without a value.',
    }),
    description: Type.Optional(
      Text(1000, { description: 'Describes the value for the AI, which fills it in.' }),
    ),
    required: Type.Optional(
      Type.Boolean({
        description:
          'Default: true. The AI may leave a value out that is not required. Then the body item is not sent, and a placeholder is empty.',
      }),
    ),
  },
  { title: 'BotActionParameterInput', additionalProperties: false },
);
export type ParameterInput = Static<typeof ParameterInput>;

const ActionInput = Type.Object(
  {
    id: Type.Optional(
      Id({
        description:
          'With a known id, the action is updated and keeps omitted fields. Otherwise a new action gets this id.',
      }),
    ),
    name: Name(),
    description: Type.Optional(Text(4000)),
    endpoint: Text(4000, {
      minLength: 1,
      description:
        'An http(s) URL. The AI fills `{{name}}`, which may not be in the scheme or host. A call is refused if it fills a path segment that is empty or only dots after decoding, or contains `/` or `\\`.',
    }),
    method: Type.Optional(Method({ ...extension, description: 'Defaults to GET for a new action.' })),
    headers: Type.Optional(Headers),
    body: Type.Optional(
      Type.Array(BodyItemInput, {
        maxItems: 100,
        description: 'With GET, the items are sent in the query string.',
      }),
    ),
    parameters: Type.Optional(
      Type.Array(ParameterInput, {
        ...extension,
        maxItems: 100,
        description: 'Describes values that the AI fills in. Values that are not listed are required.',
      }),
    ),
    signing_secret: Type.Optional(
      Type.String({
        ...extension,
        writeOnly: true,
        maxLength: 94,
        pattern: webhookSecretPattern,
        'x-pattern-means': 'must be whsec_ and the base64 of 24 to 64 bytes',
        description:
          'Signs the calls, with the number of the contact and the id of the conversation: HMAC-SHA256 in the headers of Standard Webhooks (docs/signed-actions.md). The secret is `whsec_` and base64 of 24 to 64 bytes. It is encrypted at rest and never returned.',
      }),
    ),
    signed: Type.Optional(
      Type.Boolean({
        ...extension,
        description: 'False removes the signing secret. True requires one, stored or in `signing_secret`.',
      }),
    ),
  },
  { title: 'BotActionInput', additionalProperties: false },
);
export type ActionInput = Static<typeof ActionInput>;

const QuestionInput = Type.Object(
  { question: Text(1000, { minLength: 1 }), answer: Text(4000, { minLength: 1 }) },
  { title: 'BotQuestionInput', additionalProperties: false },
);
export type Question = Static<typeof QuestionInput>;

const draftInput = {
  name: Name(),
  description: Text(10_000),
  instructions: Text(32_000),
  temperature: Type.Number({ minimum: 0, maximum: 2 }),
  identification_name: Label(100, {
    description: 'The name that the bot uses for itself. If empty, it uses `name`.',
  }),
  questions: Type.Array(QuestionInput, { maxItems: 500 }),
  document_ids: Type.Array(Id(), { maxItems: 100 }),
  allow_human: Flag(),
  actions: Type.Array(ActionInput, { maxItems: 50 }),
  use_audio_responses: Flag(),
  allow_user_audio_requests: Flag(),
  capture_payments: Flag(),
  break_lines: Flag(),
  chat_model_level: Type.Integer({ minimum: 1, maximum: 3 }),
  purpose: Type.Union(
    [
      Type.Unsafe<string>({
        ...Name(300),
        examples: ['bicycles, repairs and guided tours'],
        description:
          'The subjects that the bot is for. Models stay with them, and a bot that has no answer names them.',
      }),
      Type.Null({ description: 'Removes it.' }),
    ],
    extension,
  ),
  disclosure: Type.Union([Disclosure, Type.Null({ description: 'The bot follows the team again.' })], {
    ...extension,
    description: 'How contacts of this bot learn that a machine answers, instead of the setting of the team.',
  }),
  answer_max_age_minutes: Type.Union(
    [
      Type.Integer({
        minimum: 1,
        maximum: 43_200,
        description:
          'A question that arrives later than this after it was sent, because the device had no connection, is flagged for a person instead of answered. Default: 720.',
      }),
      Type.Null({ description: 'The default.' }),
    ],
    extension,
  ),
};

export const UpdateBot = Type.Object(
  { ...Type.Partial(Type.Object(draftInput)).properties, ...expectedUpdate },
  { additionalProperties: false },
);
export type UpdateBot = Static<typeof UpdateBot>;

export const CreateBot = Type.Object(
  {
    ...Type.Partial(Type.Object(draftInput)).properties,
    team_id: Id(),
    name: Name(),
    role: Type.Optional(Label(100, { description: 'Defaults to `assistant`.' })),
  },
  { additionalProperties: false },
);
export type CreateBot = Static<typeof CreateBot>;

const botFields = {
  id: Id(),
  team_id: Id(),
  name: Type.String(),
  role: Type.String(),
  description: Type.String(),
  ai_provider_id: Type.String(),
  vector_id: Type.String(),
  instructions: Type.String(),
  temperature: Type.Number(),
  published: Type.Boolean(),
  allow_human: Type.Boolean(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  identification_name: Type.String(extension),
  use_audio_responses: ExtensionFlag(),
  allow_user_audio_requests: ExtensionFlag(),
  capture_payments: ExtensionFlag(),
  break_lines: ExtensionFlag(),
  chat_model_level: Type.Integer(extension),
  live_version: Type.Union([Type.Integer(), Type.Null()], {
    ...extension,
    description: 'The version that answers contacts. Null before the first publication.',
  }),
};

export const Bot = Type.Object(botFields, { title: 'Bot' });
export const BotDetail = Type.Object(
  {
    ...botFields,
    questions: Type.Array(Type.Object({ question: Type.String(), answer: Type.String() })),
    actions: Type.Array(Action),
    documents: Type.Array(Type.Object({ document_id: Id(), bot_id: Id() })),
    purpose: Type.Optional(Type.String({ ...extension, description: 'Absent if the bot has none.' })),
    disclosure: Type.Optional(Disclosure),
    answer_max_age_minutes: Type.Optional(
      Type.Integer({ ...extension, description: 'Absent if the bot has the default, 720.' }),
    ),
  },
  { title: 'BotDetail' },
);

export const ListBots = Type.Object(
  {
    ...cursorQuery,
    team_id: Type.Optional(Id()),
    name: Type.Optional(
      Type.String({ maxLength: 255, description: 'Case-insensitive substring of the name.' }),
    ),
    published: Type.Optional(Type.Boolean()),
    document_id: Type.Optional(
      Id({ description: 'Only bots whose draft or live version has this document.' }),
    ),
  },
  { additionalProperties: false },
);
export type ListBots = Static<typeof ListBots>;

export const PublishBot = Type.Object(
  {
    override_reason: Type.Optional(
      Text(1000, {
        minLength: 1,
        description: 'Why an owner publishes although the gate is closed. The audit log keeps it.',
      }),
    ),
  },
  { additionalProperties: false, title: 'PublishBot', 'x-optional': true },
);
export type PublishBot = Static<typeof PublishBot>;

export const PublishedBotData = Type.Object({
  id: Id(),
  published: Type.Boolean(),
  message: Type.String(),
});

export const ListVersions = Type.Object(pageQuery, { additionalProperties: false });
export type ListVersions = Static<typeof ListVersions>;

export const BotVersion = Type.Object(
  {
    version: Type.Integer(),
    live: Type.Boolean({ description: 'Whether devices answer with this version.' }),
    name: Type.String(),
    questions: Type.Integer({ description: 'Number of question/answer pairs.' }),
    actions: Type.Integer({ description: 'Number of actions.' }),
    document_ids: Type.Array(Id(), { description: 'Documents of this version that still exist.' }),
    published_at: Timestamp(),
  },
  { title: 'BotVersion' },
);

export const BotVersionDetail = Type.Object(
  {
    ...Type.Omit(BotVersion, ['questions', 'actions']).properties,
    ...Type.Pick(BotDetail, [
      'role',
      'description',
      'instructions',
      'identification_name',
      'temperature',
      'chat_model_level',
      'allow_human',
      'use_audio_responses',
      'allow_user_audio_requests',
      'capture_payments',
      'break_lines',
      'questions',
      'actions',
      'purpose',
      'disclosure',
      'answer_max_age_minutes',
    ]).properties,
  },
  { title: 'BotVersionDetail' },
);
