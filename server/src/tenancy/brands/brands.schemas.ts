import { type Static, Type } from 'typebox';
import { Id, Name, Nullable, Timestamp } from '../../platform/http/fields.ts';

export const maxLogoBytes = 256 * 1024;
export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

export const PictureUri = (maxBytes: number, description: string) =>
  Type.String({
    // In base64, after the longest prefix.
    maxLength: 'data:image/jpeg;base64,'.length + Math.ceil(maxBytes / 3) * 4,
    pattern: '^data:image/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$',
    'x-pattern-means': 'must be a data URI of a PNG, JPEG or WebP in base64',
    description,
  });

const Color = (description: string) =>
  Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    'x-pattern-means': 'must be # and six hexadecimal digits, like #0b5cad',
    description,
  });

const asDeployment = 'Null or absent: as the deployment.';

export const PutBrand = Type.Object(
  {
    name: Type.Optional(Nullable(Name())),
    color: Type.Optional(Nullable(Color(asDeployment))),
    logo: Type.Optional(
      Nullable(
        PictureUri(maxLogoBytes, `A picture of at most 256 KiB and 2,000 × 2,000 pixels. ${asDeployment}`),
      ),
    ),
    sender_name: Type.Optional(Nullable(Name())),
  },
  { title: 'PutBrand', additionalProperties: false },
);
export type PutBrand = Static<typeof PutBrand>;

export const Brand = Type.Object(
  {
    name: Nullable(Type.String({ description: 'Null: the name of the deployment.' })),
    color: Nullable(Type.String()),
    logo: Nullable(Type.String({ description: 'A data URI.' })),
    sender_name: Nullable(Type.String({ description: 'Who mails come from. Null: the name of the brand.' })),
    accents: Nullable(
      Type.Object(
        {
          accent: Type.String({ description: 'The ground of buttons.' }),
          on_accent: Type.String({ description: 'Text on `accent`.' }),
          text_on_light: Type.String(),
          text_on_dark: Type.String(),
        },
        { title: 'Accents', description: 'Made of `color`, so that all text keeps a contrast of 4.5:1.' },
      ),
    ),
    updated_at: Nullable(Timestamp({ description: 'Null: the team has no brand of its own.' })),
  },
  { title: 'Brand' },
);
export type Brand = Static<typeof Brand>;

export const PutHost = Type.Object({ team_id: Id() }, { title: 'PutHost', additionalProperties: false });

export const Host = Type.Object(
  {
    name: Type.String({ description: 'In lower case and ASCII, without port.' }),
    team_id: Id(),
    created_at: Timestamp(),
  },
  { title: 'Host' },
);
export type Host = Static<typeof Host>;
