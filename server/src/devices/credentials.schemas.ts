import { type Static, Type } from 'typebox';
import { Id } from '../platform/http/fields.ts';

const field = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description }));

/** A network takes some of them. See `credentialRules`. */
export const credentialMembers = {
  phone_number_id: field('`whatsapp_cloud`: the id of the phone number, in digits.'),
  waba_id: field('`whatsapp_cloud`: the id of the WhatsApp Business account, in digits.'),
  access_token: field('`whatsapp_cloud`: a token of a system user that does not expire.'),
  app_secret: field('`whatsapp_cloud`: the secret of the app, with which the network signs what it pushes.'),
  bot_token: field('`telegram`: the token of the bot, as BotFather shows it.'),
};

export const Credentials = Type.Object(credentialMembers, {
  title: 'Credentials',
  additionalProperties: false,
  description: 'All members of the network of the device, and no others. They are never returned.',
});
export type Credentials = Static<typeof Credentials>;

export const StoredDeviceCredentials = Type.Object(
  {
    device_id: Id(),
    webhook_url: Type.String({ description: 'Enter it at the network as the address of the webhook.' }),
    verify_token: Type.String({
      description: 'Enter it beside the address. Shown once. It is new with each change of the credentials.',
    }),
  },
  { title: 'StoredCredentials' },
);
