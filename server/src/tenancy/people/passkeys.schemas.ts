import { type Static, Type } from 'typebox';
import { Id, Name, Nullable, Timestamp } from '../../platform/http/fields.ts';

const closed = { additionalProperties: false };

const Bytes = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[A-Za-z0-9_-]+$',
    'x-pattern-means': 'must be bytes in base64url',
    description,
  });

const clientData = 'The `clientDataJSON` of the response.';

export const Passkey = Type.Object(
  {
    id: Id(),
    name: Type.String(),
    host: Type.String({ description: 'The host name at which it signs in.' }),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp()),
  },
  { title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;

/** Members of `PublicKeyCredentialCreationOptions`, with bytes in base64url. */
export const PasskeyCreation = Type.Object(
  {
    challenge: Type.String({ description: 'Works once, within 5 minutes.' }),
    host: Type.String({ description: 'The `rp.id`.' }),
    brand: Type.String({ description: 'The `rp.name`.' }),
    user: Type.Object({ id: Type.String(), name: Type.String(), display_name: Type.String() }),
    algorithms: Type.Array(Type.Integer(), { description: 'The `alg` of `pubKeyCredParams`.' }),
    existing: Type.Array(Type.String(), { description: 'The ids of `excludeCredentials`.' }),
  },
  { title: 'PasskeyCreation' },
);

export const NewPasskey = Type.Object(
  {
    name: Name(),
    id: Bytes(1400, 'The id of the credential.'),
    client_data: Bytes(4000, clientData),
    attestation: Bytes(20_000, 'The `attestationObject` of the response.'),
  },
  { title: 'NewPasskey', ...closed },
);
export type NewPasskey = Static<typeof NewPasskey>;

/** Members of `PublicKeyCredentialRequestOptions`. */
export const PasskeyRequest = Type.Object(
  {
    challenge: Type.String({ description: 'Works once, within 5 minutes.' }),
    host: Type.String({ description: 'The `rpId`.' }),
  },
  { title: 'PasskeyRequest' },
);

export const PasskeySignIn = Type.Object(
  {
    id: Bytes(1400, 'The id of the credential.'),
    client_data: Bytes(2000, clientData),
    authenticator_data: Bytes(1400, 'The `authenticatorData` of the response.'),
    signature: Bytes(1000, 'The `signature` of the response.'),
    user: Bytes(100, 'The `userHandle` of the response.'),
  },
  { title: 'PasskeySignIn', ...closed },
);
export type PasskeySignIn = Static<typeof PasskeySignIn>;
