import { type Static, Type } from 'typebox';
import { expectedUpdate } from '../platform/http/expected-update.ts';
import { Id, Name, Nullable, PhoneNumber, Text, Timestamp } from '../platform/http/fields.ts';
import { cursorQuery } from '../platform/http/pagination.ts';
import { messagingNetworks } from '../ports/messaging-network/supported-content.ts';
import { TemplateLanguage } from './templates.schemas.ts';

const Network = (options: { description: string }) =>
  Type.Enum([...messagingNetworks], { ...options, 'x-extension': true });

const Capabilities = Type.Object(
  {
    content: Type.Array(Type.String(), { description: 'The kinds of messages that the device can send.' }),
    initiates: Type.Enum(['free', 'template', 'never'], {
      description:
        'Whether the device may write to contacts who have not written to it: `free` with any text, `template` only with a template unless the contact wrote within 24 hours, or `never`.',
    }),
    phone_numbers: Type.Boolean({ description: 'Whether the account and its contacts have phone numbers.' }),
    pairing_codes: Type.Boolean({ description: 'Whether `pairing_phone_number` can replace the QR code.' }),
    credentials: Type.Boolean({
      description: 'Whether the device connects with `PUT /devices/{id}/credentials` instead of a code.',
    }),
  },
  { title: 'Capabilities', 'x-extension': true, description: 'What the network of the device can do.' },
);

const settings = {
  allowed_origins: Type.Array(Type.String({ minLength: 8, maxLength: 200 }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'The websites that may show the chat, as browsers send them, like `https://shop.example`.',
  }),
  title: Text(60, {
    description: 'The name in the head of the chat. Empty: the name of the brand, or of the device.',
  }),
  color: Type.String({
    pattern: '^(#[0-9a-fA-F]{6})?$',
    'x-pattern-means': 'must be a colour like #0b5cad, or empty',
    description: 'Empty: the colour of the brand.',
  }),
  greeting: Text(500, {
    description: 'What the chat says before the first message. Empty: a short greeting.',
  }),
  signed_visitors_only: Type.Boolean({
    description: 'Whether only visitors whom the website has signed may write.',
  }),
};

const WebChatSettings = Type.Object(settings);
export type WebChatSettings = Static<typeof WebChatSettings>;

const WebChat = Type.Object(
  {
    ...settings,
    site_key: Type.String({
      description: 'Names the chat in the script tag. At first the id of the device.',
    }),
    visitor_secret: Type.String({
      description:
        'The key with which the website signs the ids of its visitors: HMAC-SHA256, in hex. Revoking the token of the device replaces it. Empty for roles below editor.',
    }),
  },
  { title: 'WebChat', 'x-extension': true, description: 'The chat on a website. Null on other networks.' },
);
export type WebChat = Static<typeof WebChat>;

const DefaultTemplate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 512 }),
    language: TemplateLanguage,
  },
  {
    title: 'DefaultTemplate',
    'x-extension': true,
    additionalProperties: false,
    description:
      'An approved template whose only variable is the text. `POST /send` uses it for a contact who has not written for 24 hours.',
  },
);

const DeviceStatus = Type.Enum(['stopped', 'started']);

export const Device = Type.Object(
  {
    id: Id(),
    team_id: Id(),
    bot_id: Id(),
    name: Type.String(),
    status: DeviceStatus,
    type: Type.Literal('messaging'),
    connected: Type.Boolean(),
    blocked: Type.Boolean(),
    network: Network({ description: 'The messaging network of the device.' }),
    capabilities: Capabilities,
    web_chat: Nullable(WebChat),
    webhook_url: {
      ...Nullable(
        Type.String({
          description:
            'Where the network pushes events. Null on networks without credentials, and before they are stored.',
        }),
      ),
      'x-extension': true,
    },
    phone_number: Nullable(
      Type.String({
        description:
          'Phone number of the linked account. Null while no phone is linked, and on networks without numbers.',
      }),
    ),
    token: Type.String({ description: "Token for the routes of this device on its pool's interface." }),
    pool_url: Type.String(),
    default_template: Type.Optional(DefaultTemplate),
    missed_call_reply: Type.Optional(
      Type.String({ 'x-extension': true, description: 'Absent if calls get no reply.' }),
    ),
    last_disconnect_reason: Nullable(Type.String()),
    last_disconnect_at: Nullable(Timestamp()),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Device' },
);
export type Device = Static<typeof Device>;

export const CreateDevice = Type.Object(
  {
    team_id: Id(),
    bot_id: Id(),
    name: Name(),
    network: Type.Optional(
      Network({
        description:
          'One of the networks that the deployment enables with `MESSAGING_NETWORK`. Default: the first of them.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CreateDevice = Static<typeof CreateDevice>;

export const UpdateDevice = Type.Partial(
  Type.Object({
    name: Name(),
    bot_id: Id(),
    web_chat: Type.Partial(
      Type.Object({
        ...settings,
        site_key: Type.String({
          pattern: '^site_[A-Za-z0-9_-]{20,60}$',
          'x-pattern-means': 'must be site_ and 20 to 60 letters, digits, - or _',
          description:
            'Replaces the key in the script tag. Pages with the earlier key show no chat any more. Choose it at random.',
        }),
      }),
      { additionalProperties: false, 'x-extension': true },
    ),
    default_template: Type.Union(
      [
        DefaultTemplate,
        Type.Null({ description: 'Texts to contacts who have not written for 24 hours are refused.' }),
      ],
      { 'x-extension': true },
    ),
    missed_call_reply: Type.Union(
      [
        Text(1000, {
          minLength: 1,
          description:
            'Sent to a contact whose call nobody accepted, at most once in ten minutes. It costs no credits.',
        }),
        Type.Null({ description: 'Calls get no reply.' }),
      ],
      { 'x-extension': true },
    ),
    ...expectedUpdate,
  }),
  { additionalProperties: false },
);
export type UpdateDevice = Static<typeof UpdateDevice>;

export const ListDevices = Type.Object(
  {
    ...cursorQuery,
    team_id: Type.Optional(Id()),
    bot_id: Type.Optional(Id()),
    status: Type.Optional(DeviceStatus),
    connected: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type ListDevices = Static<typeof ListDevices>;

export const ConnectDevice = Type.Object(
  {
    pairing_phone_number: Type.Optional({
      ...PhoneNumber({
        description:
          'Links this phone with a code that its owner enters on it, instead of a QR code. Only if `capabilities.pairing_codes` of the device is true.',
      }),
      'x-extension': true,
    }),
  },
  { additionalProperties: false, 'x-optional': true },
);
export type ConnectDevice = Static<typeof ConnectDevice>;

export const StartedConnection = Type.Object(
  { device_id: Id(), status: Type.Literal('started'), message: Type.String() },
  { title: 'StartedConnection' },
);
export type StartedConnection = Static<typeof StartedConnection>;

const Restriction = Type.Object(
  {
    kind: Type.Enum(['suspended', 'new_chats', 'quality_low', 'messaging_limit'], {
      description:
        '`quality_low`: the network rates the account low, and may restrict it. `messaging_limit`: new chats that the account may start in 24 hours. `suspended`: the network keeps the account offline. `new_chats`: the network refuses messages to contacts who never wrote to this device.',
    }),
    until: Nullable(Timestamp({ description: 'Null when the network gave no end.' })),
    limit: Type.Optional(Type.Integer({ description: 'Of the kind `messaging_limit`.' })),
    reason: Type.Enum(['account_suspended', 'network_refused', 'warm_up', 'quality_low', 'messaging_limit'], {
      description: '`warm_up`: Parley limits the new chats of a device that was linked recently.',
    }),
  },
  { title: 'Restriction' },
);
export type Restriction = Static<typeof Restriction>;

export const ConnectionStatus = Type.Object(
  {
    device_id: Id(),
    connected: Type.Boolean(),
    logged_in: Type.Boolean({ description: 'Whether credentials of a linked phone are stored.' }),
    status: DeviceStatus,
    qr_code: Type.Optional(
      Type.String({
        description: 'PNG as a base64 data URI. Present while the device is started and no phone is linked.',
      }),
    ),
    pairing_code: Type.Optional(
      Type.String({
        'x-extension': true,
        description:
          'The code to enter on the phone. Present instead of `qr_code` if the device was connected with `pairing_phone_number`.',
      }),
    ),
    phone_number: Nullable(Type.String({ description: 'Null while the device is not connected.' })),
    message: Type.String(),
    last_disconnect_reason: Nullable(Type.String()),
    last_disconnect_at: Nullable(Timestamp()),
    restrictions: Type.Array(Restriction, {
      'x-extension': true,
      description: 'Limits that the network imposes on the account at present.',
    }),
  },
  { title: 'ConnectionStatus' },
);
export type ConnectionStatus = Static<typeof ConnectionStatus>;
