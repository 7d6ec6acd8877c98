import type { SessionStore } from './messaging-network.ts';
import type { MessagingNetworkName } from './supported-content.ts';

/** The members of the body of `PUT /devices/{id}/credentials`. */
export type CredentialFields = Readonly<Record<string, string>>;

/** What a device on a network with credentials stores, sealed. */
export interface StoredCredentials {
  fields: CredentialFields;
  /** Names the account in the address of the webhook. */
  accountKey: string;
  /** The network shows it to prove that a request is its own, or asks for it before the first one. */
  verifyToken: string;
}

interface CredentialRules {
  /** The members that the network needs, with their forms. */
  fields: Readonly<Record<string, RegExp>>;
  /** The network's id of the account, which only one connected device may have. */
  accountId(fields: CredentialFields): string;
  /** Proves the origin of what the network pushes. Devices with the same one share the address of their webhook. */
  secret(fields: CredentialFields): string;
}

const id = /^[0-9]{5,32}$/;
const token = /^[\x21-\x7e]{8,2048}$/;

/** The id of the bot that a token of Telegram belongs to. */
export const botIdOf = ({ bot_token: bot = '' }: CredentialFields): string => bot.split(':')[0] ?? '';

/** The networks whose devices connect with credentials instead of a code. */
export const credentialRules: Readonly<Partial<Record<MessagingNetworkName, CredentialRules>>> = {
  whatsapp_cloud: {
    fields: { phone_number_id: id, waba_id: id, access_token: token, app_secret: token },
    accountId: ({ phone_number_id: account = '' }) => account,
    secret: ({ app_secret: secret = '' }) => secret,
  },
  telegram: {
    fields: { bot_token: /^[0-9]{5,20}:[A-Za-z0-9_-]{30,60}$/ },
    accountId: botIdOf,
    secret: ({ bot_token: bot = '' }) => bot,
  },
};

/** The id of the entry in the state of the session. Its kind is the name of the network. */
export const credentialsEntry = 'credentials';

export const parseCredentials = (value: Uint8Array): StoredCredentials =>
  JSON.parse(Buffer.from(value).toString()) as StoredCredentials; // `putCredentials` stored it

/** Returns null if there are none. */
export async function readCredentials(
  store: Pick<SessionStore, 'read'>,
  network: MessagingNetworkName,
): Promise<StoredCredentials | null> {
  const value = (await store.read(network, [credentialsEntry])).get(credentialsEntry);
  return value === undefined ? null : parseCredentials(value);
}
