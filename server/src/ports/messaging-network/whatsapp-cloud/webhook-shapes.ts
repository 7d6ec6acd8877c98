import { type Static, Type } from 'typebox';

const text = Type.Optional(Type.String());
const number = Type.Optional(Type.Number());
const flag = Type.Optional(Type.Boolean());
/** A longer one is not the network's. */
const Id = Type.String({ minLength: 1, maxLength: 512 });

/** The members that name a contact. Each may be missing. */
const identity = {
  wa_id: text,
  from: text,
  recipient_id: text,
  user_id: text,
  from_user_id: text,
  recipient_user_id: text,
};

const Profile = Type.Object({
  ...identity,
  profile: Type.Optional(Type.Object({ name: text, username: text })),
});
export type CloudProfile = Static<typeof Profile>;

const Media = Type.Object({
  id: text,
  mime_type: text,
  caption: text,
  filename: text,
  voice: flag,
});
export type CloudMedia = Static<typeof Media>;

const media = Type.Optional(Media);
const errors = Type.Optional(Type.Array(Type.Object({ code: Type.Optional(Type.Integer()), title: text })));

const content = {
  type: text,
  text: Type.Optional(Type.Object({ body: text })),
  image: media,
  audio: media,
  video: media,
  document: media,
  sticker: media,
  location: Type.Optional(Type.Object({ latitude: number, longitude: number, name: text, address: text })),
  contacts: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.Optional(Type.Object({ formatted_name: text })),
        phones: Type.Optional(Type.Array(Type.Object({ phone: text, wa_id: text }))),
        emails: Type.Optional(Type.Array(Type.Object({ email: text }))),
      }),
    ),
  ),
  reaction: Type.Optional(Type.Object({ message_id: text, emoji: text })),
  button: Type.Optional(Type.Object({ text, payload: text })),
  interactive: Type.Optional(
    Type.Object({
      type: text,
      button_reply: Type.Optional(Type.Object({ id: text, title: text })),
      list_reply: Type.Optional(Type.Object({ id: text, title: text, description: text })),
      nfm_reply: Type.Optional(Type.Object({ body: text, name: text, response_json: text })),
    }),
  ),
  order: Type.Optional(
    Type.Object({
      text,
      product_items: Type.Optional(
        Type.Array(
          Type.Object({ product_retailer_id: text, quantity: number, item_price: number, currency: text }),
        ),
      ),
    }),
  ),
  revoke: Type.Optional(Type.Object({ original_message_id: text })),
  errors,
};

const Message = Type.Object({
  ...identity,
  ...content,
  id: Id,
  /** Seconds. */
  timestamp: text,
  /** The contact, of an echo. */
  to: text,
  to_user_id: text,
  context: Type.Optional(Type.Object({ id: text, from: text })),
  edit: Type.Optional(
    Type.Object({ original_message_id: text, message: Type.Optional(Type.Object(content)) }),
  ),
  system: Type.Optional(
    Type.Object({ type: text, body: text, wa_id: text, user_id: text, previous_user_id: text }),
  ),
});
export type CloudMessage = Static<typeof Message>;

const Status = Type.Object({
  ...identity,
  id: Id,
  /** A part of the key of the event. */
  status: Type.Optional(Type.String({ maxLength: 40 })),
  timestamp: text,
  biz_opaque_callback_data: text,
  pricing: Type.Optional(Type.Object({ billable: flag, category: text })),
  errors,
});
export type CloudStatus = Static<typeof Status>;

/** The members of the webhook that Parley reads. The network sends more. */
const Value = Type.Object({
  metadata: Type.Optional(Type.Object({ phone_number_id: text })),
  contacts: Type.Optional(Type.Array(Profile)),
  messages: Type.Optional(Type.Array(Message)),
  statuses: Type.Optional(Type.Array(Status)),
  message_echoes: Type.Optional(Type.Array(Message)),
});
export type CloudValue = Static<typeof Value>;

export const Webhook = Type.Object({
  entry: Type.Optional(
    Type.Array(
      Type.Object({
        /** Of the business account. */
        id: text,
        changes: Type.Optional(
          Type.Array(Type.Object({ field: Type.String({ maxLength: 100 }), value: Value })),
        ),
      }),
    ),
  ),
});

/** An event in the inbox. */
export type CloudEvent =
  | { type: 'message'; message: CloudMessage; profile: CloudProfile }
  | { type: 'echo'; message: CloudMessage }
  | { type: 'status'; status: CloudStatus }
  | { type: 'account'; field: string };
