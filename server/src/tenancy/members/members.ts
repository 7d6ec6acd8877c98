import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, invalidInput, notFound, quotaExceeded } from '../../platform/http/errors.ts';
import { timestamp, timestampOrNull } from '../../platform/http/fields.ts';
import type { Page } from '../../platform/http/pagination.ts';
import { isUuid, newId } from '../../platform/shared/ids.ts';
import { readLogo } from '../brands/logo.ts';
import { forgetFormerStaff, saveFormerStaff } from '../people/identities.queries.ts';
import { createLink } from '../people/links.queries.ts';
import type { Outbox } from '../people/mails.ts';
import { deleteSessionsOfUser } from '../people/sessions.queries.ts';
import { lockTeamShared, teamExists } from '../teams/teams.sql.ts';
import { chargeQuota, refundMember } from '../usage/usage.sql.ts';
import {
  deleteMemberRow,
  insertMember,
  lockMember,
  type MemberRow,
  type MembersOf,
  selectMembers,
  updateMemberRow,
} from './members.queries.ts';
import { type CreateMember, maxPictureBytes, type UpdateMember } from './members.schemas.ts';

export interface MemberPage {
  members: ReturnType<typeof presentMember>[];
  total: number;
}

export async function listMembers(
  db: Database,
  actor: Actor,
  team: MembersOf,
  page: Page,
): Promise<MemberPage> {
  const sees = team === null || (isSeen(actor, team) && (await teamExists(db, team)));
  if (!sees) throw notFound('team');
  const { rows, total } = await selectMembers(db, team, page);
  return { members: rows.map(presentMember), total };
}

const isSeen = ({ scope }: Actor, team: string) => scope.kind === 'all' || scope.teamId === team;

const invitationHours = 7 * 24;

export interface Invited {
  token: string;
  expiresAt: Date;
  mailed: boolean;
}

/** `outbox` is null without a mail server. */
async function invite(
  tx: Transaction,
  outbox: Outbox | null,
  { team, id, email }: { team: MembersOf; id: string; email: string },
): Promise<Invited> {
  const link = await createLink(tx, { kind: 'invitation', userId: id, hours: invitationHours });
  const { token: secret, expiresAt } = link;
  const mail = {
    kind: 'invitation',
    email,
    userId: id,
    teamId: team,
    language: null,
    secret,
    expiresAt,
  } as const;
  return { ...link, mailed: (await outbox?.add(tx, mail)) ?? false };
}

/** Throws `quota_exceeded` for a team without room. The staff has no quota. */
export async function createMember(
  tx: Transaction,
  outbox: Outbox | null,
  actor: Actor,
  team: MembersOf,
  input: CreateMember,
) {
  if (team !== null) {
    await requireTeam(tx, actor, team);
    const usedUp = await chargeQuota(tx, team, 'members');
    if (usedUp !== null) throw quotaExceeded('members', { ...usedUp, needed: 1 });
  }
  if (team === null) await forgetFormerStaff(tx, input.email);
  const id = newId();
  const member = presentMember(await insertMember(tx, team, id, input));
  return { member, invitation: await invite(tx, outbox, { team, id, email: input.email }) };
}

/** Replaces the invitation. Throws `already_active` for a person who signs in. */
export async function inviteMember(
  tx: Transaction,
  outbox: Outbox | null,
  actor: Actor,
  { team, id }: { team: MembersOf; id: string },
): Promise<Invited> {
  const member = await requireMember(tx, actor, { team, id }, { staysOwner: true });
  if (member.is_active) throw badRequest('already_active', `${member.name} signs in already`);
  return invite(tx, outbox, { team, id, email: member.email });
}

/** Throws `last_owner` if the only owner would lose this role. Another role ends the sessions of the person. */
export async function updateMember(
  tx: Transaction,
  actor: Actor,
  { team, id }: { team: MembersOf; id: string },
  changes: UpdateMember,
) {
  const member = await requireMember(
    tx,
    actor,
    { team, id },
    { staysOwner: changes.role === undefined || changes.role === 'owner' },
  );
  const { picture: uri, ...others } = changes;
  const picture = typeof uri === 'string' ? readLogo(uri, maxPictureBytes) : uri;
  if (typeof picture === 'string') throw invalidInput([{ path: 'picture', message: picture }]);
  const row = await updateMemberRow(tx, id, { ...others, picture });
  if (row === undefined) throw memberNotFound(team);
  if (row.role !== member.role) await deleteSessionsOfUser(tx, id);
  return presentMember(row);
}

/** Throws `last_owner` for the only owner. The sessions of the person end. */
export async function deleteMember(
  tx: Transaction,
  actor: Actor,
  { team, id }: { team: MembersOf; id: string },
): Promise<void> {
  await requireMember(tx, actor, { team, id }, { staysOwner: false });
  if (team === null) await saveFormerStaff(tx, id);
  await deleteSessionsOfUser(tx, id);
  await deleteMemberRow(tx, id);
  if (team !== null) await refundMember(tx, team);
}

async function requireMember(
  tx: Transaction,
  actor: Actor,
  { team, id }: { team: MembersOf; id: string },
  { staysOwner }: { staysOwner: boolean },
): Promise<MemberRow> {
  if (team !== null) await requireTeam(tx, actor, team);
  const { member, owners } = isUuid(id) ? await lockMember(tx, team, id) : { member: undefined, owners: 0 };
  if (member === undefined) throw memberNotFound(team);
  if (member.role !== 'owner' || staysOwner || owners > 1) return member;
  throw badRequest(
    'last_owner',
    `${member.name} is the only owner; give another person the role owner before this one loses it`,
  );
}

/** Locks the team against deletion. */
async function requireTeam(tx: Transaction, actor: Actor, team: string): Promise<void> {
  if (!(await lockTeamShared(tx, actor.scope, team))) throw notFound('team');
}

const memberNotFound = (team: MembersOf) => notFound(team === null ? 'user' : 'member');

/** The operations declare which roles their members can have. */
const presentMember = (row: MemberRow) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  role: row.role,
  created_at: timestamp(row.created_at),
  state: row.is_active ? ('active' as const) : ('invited' as const),
  last_seen_at: timestampOrNull(row.last_seen_at),
  has_picture: row.has_picture,
});
