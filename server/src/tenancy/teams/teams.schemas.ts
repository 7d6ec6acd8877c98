import { type Static, Type } from 'typebox';
import { expectedUpdate } from '../../platform/http/expected-update.ts';
import { Id, Name, Nullable, PhoneNumber, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery } from '../../platform/http/pagination.ts';
import { Disclosure } from './disclosure.ts';

/** Counters are 32-bit integers. */
const quotaBounds = { minimum: 0, maximum: 2_147_483_647 };
const Quota = () => Type.Integer(quotaBounds);

const quotaFields = {
  bots: Quota(),
  accounts: Quota(),
  characters: Quota(),
  documents: Quota(),
  members: Quota(),
  credits: Quota(),
};

export type QuotaName = keyof typeof quotaFields;

export const Quotas = Type.Object(quotaFields, { title: 'Quotas', additionalProperties: false });
/** Quotas of a new team. Its administrator is its first member. */
const InitialQuotas = Type.Partial(
  Type.Object({ ...quotaFields, members: Type.Integer({ ...quotaBounds, minimum: 1 }) }),
  { title: 'InitialQuotas', additionalProperties: false },
);

const settingFields = {
  locale: Type.String({
    pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
    'x-pattern-means': 'must be a language tag, such as pt-BR',
    maxLength: 35,
  }),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: "IANA name. Language models get the time in it. Parley's own times are in UTC.",
  }),
  reply_delay_seconds: Type.Integer({ minimum: 0, maximum: 60 }),
  human_takeover_minutes: Type.Integer({ minimum: 0, maximum: 10_080 }),
  retention_days: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: 'Messages, conversations, answers and events are deleted after this time.',
  }),
  disclosure: Type.Union([Disclosure, Type.Null()], {
    description: 'How contacts learn that a machine answers. Null: as `DISCLOSURE_DEFAULT` says.',
  }),
};

export const TeamSettings = Type.Object(settingFields, { title: 'TeamSettings' });
export type TeamSettings = Static<typeof TeamSettings>;

/** Without the settings that have their default. */
export const StoredSettings = Type.Partial(Type.Object(settingFields), {
  title: 'TeamSettingsUpdate',
  additionalProperties: false,
});

export const defaultSettings: TeamSettings = {
  locale: 'en',
  timezone: 'UTC',
  reply_delay_seconds: 2,
  human_takeover_minutes: 60,
  retention_days: 365,
  disclosure: null,
};

const teamFields = {
  id: Id(),
  name: Type.String(),
  plan_name: Type.String(),
  paying: Type.Boolean(),
  banned: Type.Boolean(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
};

export const Team = Type.Object(teamFields, { title: 'Team' });
export const TeamDetail = Type.Object(
  { ...teamFields, quotas: Quotas, settings: TeamSettings },
  { title: 'TeamDetail' },
);

export const User = Type.Object(
  {
    id: Id(),
    name: Type.String(),
    email: Type.String(),
    phone: Nullable(Type.String()),
    created_at: Timestamp(),
  },
  { title: 'User' },
);

export const NewUser = Type.Object(
  {
    name: Name(),
    email: Type.String({ format: 'email', maxLength: 254 }),
    phone: Type.Optional(PhoneNumber()),
  },
  { title: 'NewUser', additionalProperties: false },
);

export const CreateTeam = Type.Object(
  {
    user: NewUser,
    team: Type.Object(
      {
        name: Name(),
        plan_name: Type.Optional(Type.String({ default: 'pro', minLength: 1, maxLength: 100 })),
        quotas: Type.Optional(InitialQuotas),
      },
      { title: 'NewTeam', additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
export type CreateTeam = Static<typeof CreateTeam>;

export const CreatedTeam = Type.Object({ team: Team, user: User });

const QuotaOverride = () =>
  Type.Union([Quota(), Type.Null()], {
    description: "The team's own quota. Null restores the plan's quota.",
  });

export const UpdateTeam = Type.Partial(
  Type.Object({
    name: Name(),
    plan_name: Type.String({ minLength: 1, maxLength: 100 }),
    paying: Type.Boolean(),
    banned: Type.Boolean(),
    quotas: Type.Partial(
      Type.Object({
        bots: QuotaOverride(),
        accounts: QuotaOverride(),
        characters: QuotaOverride(),
        documents: QuotaOverride(),
        members: QuotaOverride(),
        credits: QuotaOverride(),
      }),
      { title: 'QuotaOverrides', additionalProperties: false },
    ),
    settings: StoredSettings,
    ...expectedUpdate,
  }),
  { additionalProperties: false },
);
export type UpdateTeam = Static<typeof UpdateTeam>;

export const ListTeams = Type.Object(
  {
    ...cursorQuery,
    name: Type.Optional(
      Type.String({ maxLength: 255, description: 'Case-insensitive substring of the name.' }),
    ),
    paying: Type.Optional(Type.Boolean()),
    plan_name: Type.Optional(
      Type.String({ 'x-extension': true, maxLength: 100, description: 'Only teams on this plan.' }),
    ),
  },
  { additionalProperties: false },
);
export type ListTeams = Static<typeof ListTeams>;
