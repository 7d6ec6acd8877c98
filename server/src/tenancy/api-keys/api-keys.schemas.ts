import { type Static, Type } from 'typebox';
import { Name, Nullable, Timestamp } from '../../platform/http/fields.ts';
import { partnerRoles, teamRoles } from '../roles/roles.ts';

const extension = { 'x-extension': true } as const;

const scopes = ['global', 'team'] as const;
const scopeMeaning = { description: 'A key of scope `team` (an extension) can access one team only.' };

const roles = [...new Set([...partnerRoles, ...teamRoles])];
const KeyRole = () =>
  Type.Enum(roles, {
    ...extension,
    description:
      'Of the partner (`owner`, `admin`, `support`) for scope `global`, of the team (`owner`, `editor`, `agent`, `viewer`) for scope `team`. Absent: all rights within the scope.',
  });

const TeamId = (description: string) => Type.String({ ...extension, format: 'uuid', description });

export const ApiKey = Type.Object(
  {
    key_id: Type.String(),
    name: Type.String(),
    scope: Type.Enum(scopes, scopeMeaning),
    team_id: Type.Optional(TeamId('The team that a key of scope `team` can access.')),
    role: Type.Optional(KeyRole()),
    is_active: Type.Boolean(),
    expires_at: Nullable(Timestamp()),
    last_used: Nullable(Timestamp({ description: 'Accurate to the minute.' })),
    created_at: Timestamp(),
  },
  { title: 'ApiKey' },
);

export const CreateApiKey = Type.Object(
  {
    name: Name(),
    expires_at: Type.Optional(
      Timestamp({ description: 'A time in the future. Absent: the key does not expire.' }),
    ),
    scope: Type.Optional(Type.Enum(scopes, { ...scopeMeaning, ...extension })),
    team_id: Type.Optional(TeamId('Required with scope `team`.')),
    role: Type.Optional(KeyRole()),
  },
  { additionalProperties: false },
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const CreatedApiKey = Type.Object({
  key_id: Type.String(),
  key_secret: Type.String({ description: 'Only this response contains it.' }),
  name: Type.String(),
  created_at: Timestamp(),
});

export const UpdateApiKey = Type.Partial(Type.Object({ name: Name(), is_active: Type.Boolean() }), {
  additionalProperties: false,
});
export type UpdateApiKey = Static<typeof UpdateApiKey>;
