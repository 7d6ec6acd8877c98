import { type Static, Type } from 'typebox';
import { Id, Text } from '../../platform/http/fields.ts';

/** Absent soon after the sign-in. */
export const FreshProof = Type.Object(
  {
    password: Type.Optional(Text(200, { minLength: 1, description: 'The present password.' })),
    request_id: Type.Optional(Id({ description: 'Of a code that was mailed to the person.' })),
    code: Type.Optional(
      Type.String({ pattern: '^[0-9]{8}$', 'x-pattern-means': 'must be the 8 digits of the mail' }),
    ),
  },
  { title: 'FreshProof', additionalProperties: false, 'x-optional': true },
);
export type FreshProof = Static<typeof FreshProof>;
