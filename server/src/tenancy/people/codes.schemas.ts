import { Type } from 'typebox';
import { Id, Timestamp } from '../../platform/http/fields.ts';
import { mailLanguages } from './mail-texts.ts';
import { Email } from './people.schemas.ts';
import { SecondFactorCode } from './second-factor.schemas.ts';

const closed = { additionalProperties: false };

export const MailRequest = Type.Object(
  {
    email: Email(),
    language: Type.Optional(
      Type.Enum([...mailLanguages], { description: 'The language of the mail. Default: `en`.' }),
    ),
  },
  closed,
);

export const CodeRequest = Type.Object(
  {
    request_id: Id({ description: 'Send it with the code.' }),
    expires_at: Timestamp({ description: 'The end of the code.' }),
  },
  { title: 'CodeRequest' },
);

export const CodeSignIn = Type.Object(
  {
    request_id: Type.String({ format: 'uuid' }),
    email: Email(),
    code: Type.String({ pattern: '^[0-9]{8}$', 'x-pattern-means': 'must be the 8 digits of the mail' }),
    second_factor: Type.Optional(SecondFactorCode()),
  },
  closed,
);
