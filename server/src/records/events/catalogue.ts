import { type TObject, type TSchema, Type } from 'typebox';
import { Id, Nullable, Timestamp } from '../../platform/http/fields.ts';
import { contactNumber, ids } from '../../platform/http/openapi/examples/example.ts';

/** A chat of a contact with a device. */
const chat = { device_id: Id(), contact_number: Type.String() };
const conversation = { conversation_id: Id(), ...chat };
const message = {
  message_id: Id(),
  ...chat,
  origin: Type.Enum(['contact', 'bot', 'api', 'person'], { description: 'The author of the message.' }),
  kind: Type.Enum(['text', 'image', 'voice', 'document']),
};
const device = { device_id: Id(), bot_id: Id(), name: Type.String() };
const document = {
  document_id: Id(),
  name: Type.String(),
  type: Type.Enum(['pdf', 'txt', 'docx', 'doc', 'md', 'html', 'csv', 'xlsx', 'pptx']),
};
const bot = { bot_id: Id(), name: Type.String() };
const team = { team_id: Id(), name: Type.String() };
const quota = {
  quota: Type.Enum(['bots', 'accounts', 'characters', 'documents', 'members', 'credits', 'active_messages']),
  used: Type.Integer(),
  limit: Type.Integer(),
};
const consent = {
  contact_number: Type.String(),
  kind: Type.Enum(['active_messages']),
  source: Type.Enum(['contact', 'api', 'console', 'import'], { description: 'Who decided.' }),
};
const reason = Nullable(
  Type.String({ description: 'Equals `last_disconnect_reason` in the status of the device.' }),
);

const exampleChat = { device_id: ids.device, contact_number: contactNumber };
const exampleConversation = { conversation_id: ids.conversation, ...exampleChat };
const exampleDevice = { device_id: ids.device, bot_id: ids.bot, name: 'Front desk' };
const exampleConsent = { contact_number: contactNumber, kind: 'active_messages', source: 'contact' };
const exampleReply = { message_id: ids.message, ...exampleChat, origin: 'bot', kind: 'text' };
const exampleDocument = { document_id: ids.document, name: 'price-list.pdf', type: 'pdf' };
const exampleTeam = { team_id: ids.team, name: 'Harbour Rentals' };

interface EventDescription {
  summary: string;
  data: Record<string, TSchema>;
  example: object;
}

/** Every type of event with the members of its `data`. The triggers write the same members. */
const catalogue = {
  'device.connected': {
    summary: 'A device is linked and connected',
    data: { ...device, phone_number: Nullable(Type.String()) },
    example: { ...exampleDevice, phone_number: '15550100' },
  },
  'device.disconnected': {
    summary: 'A device lost its connection or was stopped',
    data: { ...device, reason },
    example: { ...exampleDevice, reason: 'connection_lost' },
  },
  'device.qr': {
    summary: 'A device shows a new QR code',
    data: {
      ...device,
      qr_text: Type.String({
        description:
          'The text to encode as a QR code, or the pairing code if the device was connected for one.',
      }),
      expires_at: Timestamp(),
    },
    example: { ...exampleDevice, qr_text: '2@q8yL0eVn', expires_at: '2026-11-23T09:30:20.000Z' },
  },
  'device.restricted': {
    summary: 'The network restricts a device',
    data: {
      ...device,
      kind: Type.Enum(['blocked', 'suspended', 'new_chats', 'quality_low'], {
        description:
          '`blocked`: for good. `suspended`: no connection for a time. `new_chats`: no new chats for a time. `quality_low`: the network rates the account low.',
      }),
      until: Nullable(Type.String({ description: 'Null: without an end.' })),
    },
    example: { ...exampleDevice, kind: 'new_chats', until: '2026-11-24T09:30:00.000Z' },
  },
  'device.logged_out': {
    summary: 'A device is no longer linked to its phone',
    data: { ...device, reason },
    example: { ...exampleDevice, reason: 'logged_out' },
  },
  'message.received': {
    summary: 'A contact wrote',
    data: { ...message, text: Type.String(), conversation_id: Nullable(Id()) },
    example: {
      message_id: ids.message,
      ...exampleConversation,
      origin: 'contact',
      kind: 'text',
      text: 'Do you rent out tandems?',
    },
  },
  'call.missed': {
    summary: 'A contact called, and nobody accepted the call',
    data: { message_id: Id(), ...conversation, video: Type.Boolean() },
    example: { message_id: ids.message, ...exampleConversation, video: false },
  },
  'message.sent': {
    summary: 'The network accepted a message',
    data: { ...message, text: Type.String() },
    example: { ...exampleReply, text: 'Yes, for 30 euros a day.' },
  },
  'message.delivered': { summary: 'A message reached its recipient', data: message, example: exampleReply },
  'message.read': { summary: 'The recipient opened a message', data: message, example: exampleReply },
  'message.failed': {
    summary: 'A message was refused, or its outcome stays unknown',
    data: {
      ...message,
      status: Type.Enum(['refused', 'unknown'], {
        description: '`refused`: never sent, and the charge is refunded. `unknown`: it may have arrived.',
      }),
      failure: Type.String(),
    },
    example: { ...exampleReply, status: 'refused', failure: 'recipient_unknown' },
  },
  'conversation.paused': {
    summary: 'A person took over and the bot does not answer',
    data: { ...conversation, paused_until: Nullable(Type.String({ description: 'Null: without an end.' })) },
    example: { ...exampleConversation, paused_until: '2026-11-23T10:30:00.000Z' },
  },
  'conversation.resumed': {
    summary: 'The bot answers again',
    data: conversation,
    example: exampleConversation,
  },
  'conversation.human_requested': {
    summary: 'A contact asked for a person',
    data: conversation,
    example: exampleConversation,
  },
  'conversation.unanswered': {
    summary: 'The bot found no answer to a question',
    data: { ...conversation, conversation_id: Nullable(Id()), bot_id: Id(), answer_id: Id() },
    example: { ...exampleConversation, bot_id: ids.bot, answer_id: ids.message },
  },
  'contact.opted_out': {
    summary: 'A contact wants no more active messages',
    data: consent,
    example: exampleConsent,
  },
  'contact.opted_in': {
    summary: 'A contact who wanted no active messages wants them again',
    data: consent,
    example: { ...exampleConsent, source: 'contact' },
  },
  'contact.automated': {
    summary: 'A contact seems to be a machine, and the bot stopped to answer it',
    data: conversation,
    example: exampleConversation,
  },
  'bot.published': {
    summary: 'A version of a bot went live',
    data: { ...bot, version: Type.Integer() },
    example: { bot_id: ids.bot, name: 'Rental bot', version: 3 },
  },
  'bot.publish_failed': {
    summary: 'Publishing a bot failed and the previous version stays live',
    data: { ...bot, reason: Type.String() },
    example: { bot_id: ids.bot, name: 'Rental bot', reason: 'provider_unavailable' },
  },
  'run.finished': {
    summary: 'A run of the cases of a bot ended',
    data: {
      run_id: Id(),
      bot_id: Id(),
      version: Type.Enum(['draft', 'published']),
      state: Type.Enum(['finished', 'failed']),
      passed: Type.Integer(),
      failed: Type.Integer(),
      warned: Type.Integer(),
      changed: Type.Integer(),
      worse: Type.Integer(),
    },
    example: {
      run_id: ids.run,
      bot_id: ids.bot,
      version: 'draft',
      state: 'finished',
      passed: 41,
      failed: 1,
      warned: 0,
      changed: 3,
      worse: 1,
    },
  },
  'action.failed': {
    summary: 'An action of a bot failed during an answer',
    data: {
      ...conversation,
      action: Type.String(),
      status: Nullable(Type.Integer({ description: 'The HTTP status, null without a response.' })),
      error: Type.String(),
    },
    example: {
      ...exampleConversation,
      action: 'find_booking',
      status: 502,
      error: 'the endpoint returned 502',
    },
  },
  'document.ready': {
    summary: 'A document can be used by bots',
    data: document,
    example: exampleDocument,
  },
  'document.failed': {
    summary: 'A document could not be indexed',
    data: document,
    example: exampleDocument,
  },
  'template.updated': {
    summary: 'The network changed the state of a template',
    data: {
      template_id: Id(),
      device_id: Id(),
      name: Type.String(),
      language: Type.String(),
      state: Type.Enum(['pending', 'approved', 'rejected', 'paused', 'disabled']),
      reason: Nullable(Type.String()),
    },
    example: {
      template_id: ids.template,
      device_id: ids.device,
      name: 'order_ready',
      language: 'en',
      state: 'approved',
      reason: null,
    },
  },
  'payment.captured': {
    summary: 'A contact sent a payment receipt',
    data: conversation,
    example: exampleConversation,
  },
  'team.created': { summary: 'A team was created', data: team, example: exampleTeam },
  'team.updated': {
    summary: 'A team was changed',
    data: { ...team, changes: Type.Array(Type.String(), { description: 'The changed fields.' }) },
    example: { ...exampleTeam, changes: ['plan_name'] },
  },
  'team.deleted': { summary: 'A team was deleted', data: team, example: exampleTeam },
  'quota.warning': {
    summary: 'A team has used 80% of a quota',
    data: quota,
    example: { quota: 'active_messages', used: 800, limit: 1000 },
  },
  'quota.reached': {
    summary: 'A team has used up a quota',
    data: quota,
    example: { quota: 'bots', used: 10, limit: 10 },
  },
  'credits.exhausted': {
    summary: "The team's credits do not suffice for an answer, so conversations wait",
    data: {},
    example: {},
  },
  'conversation.typing': {
    summary: 'A colleague writes in a conversation, or did in the last seconds',
    data: {
      conversation_id: Id(),
      author: Type.Object({
        id: Type.String({ description: 'As in `author` of a note.' }),
        name: Type.String(),
      }),
    },
    example: {
      conversation_id: ids.conversation,
      author: { id: `user:${ids.user}`, name: 'Ana' },
    },
  },
  'webhook.disabled': {
    summary: 'A webhook was disabled because its receiver failed',
    data: { webhook_id: Id(), url: Type.String(), reason: Type.Enum(['gone', 'failing']) },
    example: { webhook_id: ids.webhook, url: 'https://example.com/hooks/parley', reason: 'failing' },
  },
  'webhook.test': {
    summary: 'Sent on request, to test a webhook',
    data: { webhook_id: Id() },
    example: { webhook_id: ids.webhook },
  },
} satisfies Record<string, EventDescription>;

export type EventType = keyof typeof catalogue;

/** Only streams that name it get it. It is never stored. */
export const signalType = 'conversation.typing';

/** Types that a webhook can subscribe to. */
export const eventTypes = (Object.keys(catalogue) as EventType[]).filter(
  (type) => type !== 'webhook.test' && type !== signalType,
);

/** Types that a stream can name. */
export const streamedTypes: readonly EventType[] = [...eventTypes, signalType];

/** `device.logged_out` becomes `DeviceLoggedOutEvent`. */
const titleOf = (type: string): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}Event`;

const schemaOf = ([type, { data, summary }]: [string, EventDescription]): TObject =>
  Type.Object(
    {
      id: Id(),
      type: Type.Literal(type),
      created_at: Timestamp(),
      team_id: Nullable(Id()),
      data: Type.Object(data),
    },
    { title: titleOf(type), description: summary },
  );

const described = Object.entries(catalogue) as [EventType, EventDescription][];

const eventSchemas: ReadonlyMap<EventType, TObject> = new Map(
  described.map((entry) => [entry[0], schemaOf(entry)]),
);

/** An event as a delivery, the list and the stream show it. */
export const Event = Type.Union([...eventSchemas.values()], { title: 'Event' });

const webhookHeaders = Object.entries({
  'webhook-id': "The event's id, the same over all attempts.",
  'webhook-timestamp': 'When the attempt was made, in seconds.',
  'webhook-signature': 'Signatures of the Standard Webhooks scheme, one per valid secret.',
}).map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

/** The `webhooks` section of the OpenAPI document. The schemas are those of `Event`. */
export const describeWebhooks = (): Record<string, object> =>
  Object.fromEntries(
    described
      .filter(([type]) => type !== signalType)
      .map(([type, { summary, example }]) => [
        type,
        {
          post: {
            operationId: `on${titleOf(type)}`,
            summary,
            description: 'Parley posts this event to the webhooks that subscribe to its type.',
            tags: ['Webhooks'],
            security: [],
            'x-extension': true,
            parameters: webhookHeaders,
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: { $ref: `#/components/schemas/${titleOf(type)}` },
                  example: {
                    id: ids.event,
                    type,
                    created_at: '2026-11-23T09:30:00.000Z',
                    team_id: ids.team,
                    data: example,
                  },
                },
              },
            },
            responses: { '2XX': { description: 'The event was received. Other statuses lead to a retry.' } },
          },
        },
      ]),
  );
