import { type Static, Type } from 'typebox';
import { Id, Nullable } from '../../platform/http/fields.ts';

const closed = { additionalProperties: false };
const TimeOfDay = () =>
  Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    'x-pattern-means': 'must be a time such as 22:00',
  });

const wishes = {
  mail_after_minutes: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1440,
      description: 'A mail follows when somebody has waited that long. Null: no mails.',
    }),
  ),
  push: Type.Boolean({ description: 'Messages of the browser, on each device that was added.' }),
  devices: Type.Boolean({ description: 'Also when a phone has lost its connection for a minute.' }),
  quiet_hours: Nullable(
    Type.Object(
      { from: TimeOfDay(), until: TimeOfDay(), timezone: Type.String({ minLength: 1, maxLength: 60 }) },
      { ...closed, description: 'The person hears afterwards of what still waits.' },
    ),
  ),
  team_ids: Nullable(
    Type.Array(Id(), {
      maxItems: 100,
      uniqueItems: true,
      description: "Null: the own teams. The partner's staff hears only of teams that are named.",
    }),
  ),
};

export const AlertSettings = Type.Object(
  {
    ...wishes,
    mail_possible: Type.Boolean({ description: 'The deployment can send mail.' }),
    push_key: Type.String({ description: 'The key with which a browser subscribes.' }),
    push_devices: Type.Integer({ description: 'Browsers that were added.' }),
  },
  { title: 'AlertSettings' },
);
export type AlertSettings = Static<typeof AlertSettings>;

export const PutAlertSettings = Type.Object(
  {
    ...wishes,
    language: Type.String({ minLength: 2, maxLength: 35, description: 'Of mails and messages.' }),
  },
  { ...closed, title: 'PutAlertSettings' },
);
export type PutAlertSettings = Static<typeof PutAlertSettings>;

const key = (description: string) =>
  Type.String({
    minLength: 20,
    maxLength: 100,
    pattern: '^[A-Za-z0-9_-]+$',
    'x-pattern-means': 'must be in base64url',
    description,
  });

/** What `PushSubscription.toJSON()` of a browser returns. */
export const AddPushSubscription = Type.Object(
  {
    endpoint: Type.String({
      format: 'uri',
      maxLength: 2000,
      pattern: '^https://',
      'x-pattern-means': 'must begin with https://',
    }),
    keys: Type.Object({ p256dh: key('The public key of the browser.'), auth: key('Its secret.') }, closed),
  },
  { ...closed, title: 'AddPushSubscription' },
);
export type AddPushSubscription = Static<typeof AddPushSubscription>;

export const PushDevice = Type.Object({ id: Id() }, { title: 'PushDevice' });
