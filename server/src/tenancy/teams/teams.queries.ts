import { sql } from 'kysely';
import { auditContext } from '../../platform/database/audit-context.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { containsText } from '../../platform/database/filters.ts';
import {
  isWithin,
  type ListPage,
  selectCountedPage,
  selectMatchingPage,
} from '../../platform/database/list-pages.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { pageRange } from '../../platform/http/pagination.ts';
import { planNamed } from '../plans/plans.sql.ts';
import { insertTeamUsage } from '../usage/usage.sql.ts';
import type { CreateTeam, ListTeams, QuotaName, TeamSettings, UpdateTeam } from './teams.schemas.ts';
import { effectiveQuota, teamsWithPlans } from './teams.sql.ts';

export interface TeamRow {
  id: string;
  name: string;
  plan_name: string;
  paying: boolean;
  banned: boolean;
  created_at: Date;
  updated_at: Date;
}

export interface TeamDetailRow extends TeamRow, Record<QuotaName, number> {
  settings: Partial<TeamSettings>;
}

export interface UserRow {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  created_at: Date;
}

const teamColumns = ['id', 'name', 'plan_name', 'paying', 'banned', 'created_at', 'updated_at'] as const;

/**
 * Returns null if the plan does not exist or allows no member. Needs no transaction of its own, so it sets the context of the audit log.
 * Watched by count_teams and record_team_event.
 */
export async function insertTeam(
  db: Database | Transaction,
  ids: { team: string; user: string },
  { team, user }: CreateTeam,
): Promise<{ team: TeamRow; user: UserRow } | null> {
  const q = team.quotas ?? {};
  const { rows } = await sql<TeamRow & { user_created_at: Date }>`
    with team as (
      insert into teams (id, name, plan_name, paying, quota_bots, quota_accounts, quota_characters, quota_documents,
                         quota_members, quota_credits)
      select ${ids.team}::uuid, ${team.name}, name, paying, ${q.bots ?? null}::int, ${q.accounts ?? null}::int,
             ${q.characters ?? null}::int, ${q.documents ?? null}::int, ${q.members ?? null}::int, ${q.credits ?? null}::int
      from ${planNamed(team.plan_name ?? 'pro')}
      and coalesce(${q.members ?? null}::int, members) > 0
      and set_config('parley.audit', ${auditContext.getStore() ?? ''}, true) is not null
      for key share
      returning id, name, plan_name, paying, banned, created_at, updated_at
    ), usage as (
      ${insertTeamUsage}
    ), administrator as (
      insert into users (id, team_id, name, email, phone)
      select ${ids.user}::uuid, id, ${user.name}, ${user.email}, ${user.phone ?? null} from team
      returning created_at as user_created_at
    )
    select team.*, user_created_at from team, administrator`.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  const { user_created_at, ...created } = row;
  return {
    team: created,
    user: {
      id: ids.user,
      name: user.name,
      email: user.email,
      phone: user.phone ?? null,
      created_at: user_created_at,
    },
  };
}

export function selectTeams(db: Database, scope: Scope, query: ListTeams): Promise<ListPage<TeamRow>> {
  const { name, paying, plan_name } = query;
  const ofName = name === undefined ? [] : [containsText(sql.ref('name'), name)];
  const ofPayment = paying === undefined ? [] : [sql`paying = ${paying}`];
  const ofPlan = plan_name === undefined ? [] : [sql`plan_name = ${plan_name}`];
  const ofScope = scope.kind === 'all' ? [] : [sql`id = ${scope.teamId}`];
  const ofTime = isWithin('created_at', query);
  const where = sql.join([sql`true`, ...ofScope, ...ofPayment, ...ofPlan, ...ofName, ...ofTime], sql` and `);
  const list = { table: 'teams', columns: teamColumns, where };
  const isMatched = scope.kind === 'team' || name !== undefined || plan_name !== undefined;
  if (isMatched) return selectMatchingPage(db, list, pageRange(query));
  const total = ofTime.length > 0 ? sql`select count(*) from teams where ${where}` : countTeams(paying);
  return selectCountedPage(db, { ...list, total }, pageRange(query));
}

function countTeams(paying: boolean | undefined) {
  if (paying === undefined) return sql`select sum(teams) from team_counts`;
  return paying ? sql`select sum(paying) from team_counts` : sql`select sum(teams - paying) from team_counts`;
}

export async function selectTeam(
  db: Database | Transaction,
  scope: Scope,
  id: string,
): Promise<TeamDetailRow | undefined> {
  if (scope.kind === 'team' && scope.teamId !== id) return undefined;
  const { rows } = await sql<TeamDetailRow>`
    select t.id, t.name, t.plan_name, t.paying, t.banned, t.created_at, t.updated_at, t.settings,
           ${effectiveQuota('bots')} as bots, ${effectiveQuota('accounts')} as accounts,
           ${effectiveQuota('characters')} as characters,
           ${effectiveQuota('documents')} as documents,
           ${effectiveQuota('members')} as members, ${effectiveQuota('credits')} as credits
    from ${teamsWithPlans}
    where t.id = ${id}`.execute(db);
  return rows[0];
}

/** Locks the team against other updates. */
export async function lockTeamForUpdate(tx: Transaction, id: string): Promise<void> {
  await sql`select from teams where id = ${id} for no key update`.execute(tx);
}

/**
 * A quota of null follows the plan. Returns undefined if the team is outside the scope.
 * Watched by count_teams and record_team_event.
 */
export async function updateTeamRow(
  tx: Transaction,
  scope: Scope,
  id: string,
  { name, plan_name, paying, banned, quotas = {}, settings = {} }: UpdateTeam,
): Promise<{ id: string } | undefined> {
  if (scope.kind === 'team' && scope.teamId !== id) return undefined;
  const ownQuotas = Object.fromEntries(Object.entries(quotas).map(([quota, own]) => [`quota_${quota}`, own]));
  return tx
    .updateTable('teams')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(plan_name === undefined ? {} : { plan_name }),
      ...(paying === undefined ? {} : { paying }),
      ...(banned === undefined ? {} : { banned }),
      ...ownQuotas,
      settings: sql`settings || ${JSON.stringify(settings)}::jsonb`,
      updated_at: nextUpdate('updated_at'),
    })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
}
