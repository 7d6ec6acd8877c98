import type { Static } from 'typebox';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { invalidInput, notFound } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { newId } from '../../platform/shared/ids.ts';
import { selectPlanNames } from '../plans/plans.sql.ts';
import { insertTeam, selectTeam, type TeamDetailRow, type TeamRow, type UserRow } from './teams.queries.ts';
import {
  type CreatedTeam,
  type CreateTeam,
  defaultSettings,
  type Team,
  type TeamDetail,
  type User,
} from './teams.schemas.ts';

/** Creates a team with its administrator as first member. Throws `invalid_input` for an unknown plan. */
export async function createTeam(
  db: Database | Transaction,
  input: CreateTeam,
): Promise<Static<typeof CreatedTeam>> {
  const created = await insertTeam(db, { team: newId(), user: newId() }, input);
  if (created === null) {
    const plans = await selectPlanNames(db);
    if (!plans.includes(input.team.plan_name ?? 'pro')) throw unknownPlanError('team.plan_name', plans);
    throw invalidInput([
      { path: 'team.plan_name', message: 'must allow at least one member, the administrator' },
    ]);
  }
  return { team: presentTeam(created.team), user: presentUser(created.user) };
}

export async function getTeam(db: Database, actor: Actor, id: string): Promise<Static<typeof TeamDetail>> {
  const row = await selectTeam(db, actor.scope, id);
  if (row === undefined) throw notFound('team');
  return presentTeamDetail(row);
}

export const unknownPlanError = (path: string, known: readonly string[]) =>
  invalidInput([{ path, message: `must be one of ${known.join(', ')}` }]);

export const presentTeam = (row: TeamRow): Static<typeof Team> => ({
  id: row.id,
  name: row.name,
  plan_name: row.plan_name,
  paying: row.paying,
  banned: row.banned,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

export const presentTeamDetail = (row: TeamDetailRow): Static<typeof TeamDetail> => ({
  ...presentTeam(row),
  quotas: {
    bots: row.bots,
    accounts: row.accounts,
    characters: row.characters,
    documents: row.documents,
    members: row.members,
    credits: row.credits,
  },
  settings: { ...defaultSettings, ...row.settings },
});

const presentUser = (row: UserRow): Static<typeof User> => ({
  id: row.id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  created_at: timestamp(row.created_at),
});
