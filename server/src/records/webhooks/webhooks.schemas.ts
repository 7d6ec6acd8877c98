import { type Static, Type } from 'typebox';
import { expectedUpdate } from '../../platform/http/expected-update.ts';
import { Id, Nullable, Text, Timestamp } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pagination.ts';
import { eventTypes } from '../events/catalogue.ts';

const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'An http or https URL. Private hosts need `WEBHOOK_ALLOWED_HOSTS`.',
  examples: ['https://example.com/hooks/parley'],
});
const events = Type.Array(Type.Enum(['*', ...eventTypes]), {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
  description: 'The types to deliver, or only `*` for all.',
  examples: [['message.received', 'conversation.human_requested']],
});
const description = Text(200, { description: 'A note for people.' });
const ordered = Type.Boolean({
  description: 'Whether events of one conversation wait until the earlier ones are delivered or have failed.',
});
const thin = Type.Boolean({
  description: 'Whether deliveries carry only the ids in `data`, and neither texts nor numbers of contacts.',
});

export const Webhook = Type.Object(
  {
    id: Id(),
    team_id: Nullable(Id({ description: 'Null: the events of all teams.' })),
    url,
    events,
    description,
    enabled: Type.Boolean(),
    ordered,
    thin,
    disabled_reason: Nullable(
      Type.Enum(['gone', 'failing'], {
        description: '`gone`: the receiver returned 410. `failing`: it failed for five days.',
      }),
    ),
    disabled_at: Nullable(Timestamp()),
    failing_since: Nullable(Timestamp({ description: 'Null if the last attempt succeeded.' })),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({
  description:
    'Verifies the signatures, with any library of Standard Webhooks. It is shown once; keep it safe.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
});

export const CreatedWebhook = Type.Object({ ...Webhook.properties, secret }, { title: 'CreatedWebhook' });

export const RotatedSecret = Type.Object(
  {
    secret,
    previous_secret_until: Timestamp({ description: 'Until then, deliveries carry signatures of both.' }),
  },
  { title: 'RotatedWebhookSecret' },
);

export const CreateWebhook = Type.Object(
  {
    team_id: Type.Optional(Nullable(Id({ description: 'Default: all teams that the key may see.' }))),
    url,
    events,
    description: Type.Optional(description),
    enabled: Type.Optional(Type.Boolean()),
    ordered: Type.Optional(ordered),
    thin: Type.Optional(thin),
  },
  { additionalProperties: false },
);
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(description),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'Enabling delivers the events that were queued before the webhook was disabled.',
      }),
    ),
    ordered: Type.Optional(ordered),
    thin: Type.Optional(thin),
    ...expectedUpdate,
  },
  { additionalProperties: false },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

export const ListWebhooks = Type.Object(
  {
    ...pageQuery,
    team_id: Type.Optional(Id()),
    failing: Type.Optional(
      Type.Boolean({
        description: 'True: only webhooks whose last attempt failed, or that Parley disabled.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListWebhooks = Static<typeof ListWebhooks>;

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'failed']);

export const Delivery = Type.Object(
  {
    event_id: Id(),
    type: Type.String(),
    status: DeliveryStatus,
    attempts: Type.Integer(),
    next_attempt_at: Nullable(Timestamp({ description: 'Null unless pending.' })),
    last_attempt_at: Nullable(Timestamp()),
    response_status: Nullable(Type.Integer({ description: 'Null without a response.' })),
    error: Nullable(Type.String()),
    payload: Type.String({ description: 'The body of the request, as JSON.' }),
    created_at: Timestamp(),
  },
  { title: 'WebhookDelivery' },
);
export type Delivery = Static<typeof Delivery>;

export const ListDeliveries = Type.Object(
  {
    ...pageQuery,
    status: Type.Optional(DeliveryStatus),
    failing: Type.Optional(
      Type.Boolean({
        'x-extension': true,
        description: 'True: only deliveries whose last attempt failed, also those that are repeated.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListDeliveries = Static<typeof ListDeliveries>;

export const Replay = Type.Object(
  {
    event_id: Type.Optional(Id({ description: 'One event, whatever its type.' })),
    since: Type.Optional(Timestamp({ description: 'All events of the types of the webhook since then.' })),
  },
  { additionalProperties: false },
);
export type Replay = Static<typeof Replay>;

export const Replayed = Type.Object(
  { deliveries: Type.Integer({ description: 'How many deliveries were added.' }) },
  { title: 'Replayed' },
);

export const TestResult = Type.Object(
  {
    delivered: Type.Boolean(),
    response_status: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    duration_ms: Type.Integer(),
  },
  { title: 'WebhookTest' },
);
export type TestResult = Static<typeof TestResult>;
