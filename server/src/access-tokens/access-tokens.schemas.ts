import { Type } from 'typebox';

const Credential = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });

export const Credentials = Type.Object(
  {
    key_id: Credential('Id of an API key.'),
    key_secret: Credential('Its secret, as shown when it was created.'),
  },
  { additionalProperties: false },
);

/** Access token response. */
export const AccessToken = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds: 86400.' }),
  },
  { title: 'AccessToken' },
);
