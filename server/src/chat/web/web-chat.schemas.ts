import { type Static, Type } from 'typebox';
import { Text } from '../../platform/http/fields.ts';

/** The largest file of a visitor. */
export const maxFileBytes = 5 * 1024 * 1024;

const ClientId = () => Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' });

export const OpenChat = Type.Object(
  {
    visitor: Type.Optional(Type.String({ maxLength: 200, description: 'The token of an earlier visit.' })),
    identity: Type.Optional(
      Type.Object(
        {
          id: Text(200, { minLength: 1, description: 'The id of the person on the website.' }),
          signature: Type.String({
            maxLength: 100,
            description: 'HMAC-SHA256 of the id with the secret, in hex.',
          }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

export const WriteChat = Type.Object(
  {
    id: ClientId(),
    text: Text(4096),
    file: Type.Optional(
      Type.Object(
        {
          name: Text(200, { minLength: 1 }),
          type: Type.String({ maxLength: 100 }),
          base64: Type.String({ minLength: 4, maxLength: Math.ceil(maxFileBytes / 3) * 4 }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type WriteChat = Static<typeof WriteChat>;

export const ReportChat = Type.Object(
  {
    ids: Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: 100 }),
    state: Type.Enum(['delivered', 'read']),
  },
  { additionalProperties: false },
);

export const ReadChat = Type.Object(
  { after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })) },
  { additionalProperties: false },
);

export const NoQuery = Type.Object({}, { additionalProperties: false });
