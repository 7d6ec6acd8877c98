import { type Static, Type } from 'typebox';
import { Text } from '../../platform/http/fields.ts';

const closed = { additionalProperties: false };

export const SecondFactorCode = () =>
  Type.String({
    minLength: 6,
    maxLength: 40,
    pattern: '^[0-9A-Za-z -]+$',
    'x-pattern-means': 'must be a code of the authenticator app or a recovery code',
    description:
      'For a person with a second factor: a code of the authenticator app, or a recovery code. Each works once.',
  });

export const StartedSecondFactor = Type.Object(
  {
    secret: Type.String({ description: 'In base32, to type it into an app. It is not shown again.' }),
    url: Type.String({ description: 'For an app on the same device: `otpauth://totp/…`.' }),
    qr_code: Type.String({ description: 'The address as a PNG, in a data URI.' }),
  },
  { title: 'StartedSecondFactor' },
);

export const ConfirmSecondFactor = Type.Object(
  {
    code: Type.String({ pattern: '^[0-9]{6}$', 'x-pattern-means': 'must be the 6 digits of the app' }),
  },
  closed,
);

export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: 'Each takes the place of a code of the app, once. They are not shown again.',
    }),
  },
  { title: 'RecoveryCodes' },
);

export const RemoveSecondFactor = Type.Object(
  {
    password: Type.Optional(Text(200, { minLength: 1 })),
    second_factor: Type.Optional(SecondFactorCode()),
  },
  closed,
);
export type RemoveSecondFactor = Static<typeof RemoveSecondFactor>;
