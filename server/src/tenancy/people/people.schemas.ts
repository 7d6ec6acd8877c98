import { type Static, Type } from 'typebox';
import { Id, Name, Nullable, Text, Timestamp } from '../../platform/http/fields.ts';
import { Brand } from '../brands/brands.schemas.ts';
import { partnerRoles, teamRoles } from '../roles/roles.ts';
import { User } from '../teams/teams.schemas.ts';

import { SecondFactorCode } from './second-factor.schemas.ts';

const closed = { additionalProperties: false };
const roles = [...new Set([...partnerRoles, ...teamRoles])];

export const Email = () => Type.String({ format: 'email', maxLength: 254 });
const NewPassword = () =>
  Text(200, { minLength: 10, description: 'At least 10 characters. Any characters will do.' });
const GivenPassword = () => Text(200, { minLength: 1 });
const Token = () =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[A-Za-z0-9_-]+$',
    'x-pattern-means': 'must be the part of the address after #',
  });
const Team = Nullable(
  Type.Object(
    { id: Id(), name: Type.String() },
    { description: "Null for a member of the partner's staff." },
  ),
);
const Role = () => Type.Enum(roles);

export const SessionEntry = Type.Object(
  {
    id: Id(),
    created_at: Timestamp(),
    last_seen_at: Timestamp({ description: 'Exact to a minute.' }),
    expires_at: Timestamp({ description: 'Use puts it off, to 30 days after the sign-in at most.' }),
    address: Type.String({ description: 'Where the person signed in from.' }),
    user_agent: Nullable(Type.String()),
    current: Type.Boolean({ description: 'The session of this request.' }),
  },
  { title: 'SessionEntry' },
);

export const Session = Type.Object(
  {
    user: Type.Object({ ...User.properties, role: Role() }, { description: 'The membership in use.' }),
    team: Team,
    role: Role(),
    memberships: Type.Array(Type.Object({ user_id: Id(), team: Team, role: Role() }), {
      description: 'Send the id of a team, or `partner`, in `X-Parley-Team` to use another one.',
    }),
    has_password: Type.Boolean(),
    password_settable: Type.Boolean({
      description: 'The person may set a password without the present one, for 15 minutes after a link.',
    }),
    has_second_factor: Type.Boolean(),
    recovery_codes: Type.Integer({ minimum: 0, description: 'How many were not used.' }),
    session: SessionEntry,
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const SignInMeans = Type.Object(
  {
    password: Type.Boolean(),
    code: Type.Boolean({ description: 'Codes and recovery links are sent by e-mail.' }),
    oidc: Type.Boolean({ description: 'The deployment has an identity provider.' }),
    set_up: Type.Boolean({
      description: 'No owner can sign in yet. A link that was printed at the start creates one.',
    }),
  },
  { title: 'SignInMeans' },
);

export const PasswordSignIn = Type.Object(
  { email: Email(), password: GivenPassword(), second_factor: Type.Optional(SecondFactorCode()) },
  closed,
);
export const ChangePassword = Type.Object(
  { password: NewPassword(), current_password: Type.Optional(GivenPassword()) },
  closed,
);
export const SetUp = Type.Object(
  { token: Token(), name: Name(), email: Email(), password: NewPassword() },
  closed,
);
export const InvitationToken = Type.Object({ token: Token() }, closed);
export const Invitation = Type.Object(
  {
    name: Type.String(),
    email: Type.String(),
    role: Role(),
    team: Team,
    brand: Nullable(Brand),
    expires_at: Timestamp(),
  },
  { title: 'Invitation' },
);
export const AcceptInvitation = Type.Object({ token: Token(), password: NewPassword() }, closed);
export const LinkSignIn = Type.Object(
  {
    token: Token(),
    password: Type.Optional(NewPassword()),
    second_factor: Type.Optional(SecondFactorCode()),
  },
  closed,
);
