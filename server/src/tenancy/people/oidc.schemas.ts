import { Type } from 'typebox';

const State = () =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    'x-pattern-means': 'must be the state of the address to which the provider sent the browser',
  });

export const OidcStart = Type.Object(
  { url: Type.String({ format: 'uri', description: 'Open it in this browser, within 10 minutes.' }) },
  { title: 'OidcStart' },
);

export const OidcSignIn = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 4000,
      pattern: '^[\\x21-\\x7e]+$',
      'x-pattern-means': 'must be the code of the address',
    }),
    state: State(),
    iss: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        pattern: '^[\\x21-\\x7e]+$',
        'x-pattern-means': 'must be the issuer of the address',
        description: 'The `iss` of the address, if it has one.',
      }),
    ),
  },
  { additionalProperties: false },
);
