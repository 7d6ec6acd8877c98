import { type Static, Type } from 'typebox';
import { Id, Name, Nullable, Timestamp } from '../http/fields.ts';

const KeyScope = Type.Union([Type.Literal('global'), Type.Literal('team')], {
  description: '`team` (extension) sees one team alone.',
});

export const ApiKey = Type.Object(
  {
    key_id: Type.String(),
    name: Type.String(),
    scope: KeyScope,
    team_id: Type.Optional(Id({ description: 'Extension: the one team that a key of scope `team` sees.' })),
    is_active: Type.Boolean(),
    expires_at: Nullable(Timestamp()),
    last_used: Nullable(Timestamp({ description: 'Right to the minute.' })),
    created_at: Timestamp(),
  },
  { title: 'ApiKey' },
);

export const CreateApiKey = Type.Object(
  {
    name: Name(),
    expires_at: Type.Optional(Timestamp({ description: 'In the future. Absent: the key does not expire.' })),
    scope: Type.Optional(KeyScope),
    team_id: Type.Optional(Id({ description: 'Extension: required with scope `team`.' })),
  },
  { additionalProperties: false },
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const CreatedApiKey = Type.Object({
  key_id: Type.String(),
  key_secret: Type.String({ description: 'Shown in this answer only.' }),
  name: Type.String(),
  created_at: Timestamp(),
});

export const UpdateApiKey = Type.Partial(Type.Object({ name: Name(), is_active: Type.Boolean() }), {
  additionalProperties: false,
});
export type UpdateApiKey = Static<typeof UpdateApiKey>;
