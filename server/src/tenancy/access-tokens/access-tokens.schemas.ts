import { Type } from 'typebox';

const Credential = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });

export const Credentials = Type.Object(
  {
    key_id: Credential('Id of an API key.'),
    key_secret: Credential('The secret that was shown when the key was created.'),
  },
  { additionalProperties: false },
);

export const AccessToken = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime in seconds: 86400.' }),
  },
  { title: 'AccessToken' },
);
