import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { keysOfTeam } from '../api-keys/api-keys.sql.ts';
import { joinPlan } from '../plans/plans.sql.ts';
import { defaultSettings, type QuotaName } from './teams.schemas.ts';

/** Needs `teams t` and `plans p`. */
export const effectiveQuota = (name: QuotaName): RawBuilder<number> =>
  sql`coalesce(${sql.ref(`t.quota_${name}`)}, ${sql.ref(`p.${name}`)})`;

type NumberSetting = 'reply_delay_seconds' | 'human_takeover_minutes' | 'retention_days';

/** Returns the team's setting or its default. Needs `teams t`. */
export const numberSetting = (name: NumberSetting): RawBuilder<number> =>
  sql`coalesce((t.settings->>${sql.lit(name)})::int, ${sql.lit(defaultSettings[name])})`;

/** Returns the team's setting or its default. Needs `teams t`. */
export const textSetting = (name: 'locale' | 'timezone'): RawBuilder<string> =>
  sql`coalesce(t.settings->>${sql.lit(name)}, ${sql.lit(defaultSettings[name])})`;

/** Null: the default of the deployment. Needs `teams t`. */
export const disclosureSetting = sql`nullif(t.settings->'disclosure', 'null')`;

export const teamsWithPlans = sql`teams t ${joinPlan}`;

export const joinTeam = (column: string) => sql`join teams t on t.id = ${sql.ref(column)}`;

/** Bulk rows outlive their team until a job deletes them. */
export const hasTeam = (column: string) =>
  sql<SqlBool>`exists (select from teams t where t.id = ${sql.ref(column)})`;

/** Locks the team against deletion at the end of a `select`, if it is within the scope. */
export const teamLockedShared = (scope: Scope, teamId: string) => sql`
  teams where teams.id = ${teamId} and ${inScope(scope, 'teams.id')} for key share`;

/** Locks the team against deletion. Returns false if it is missing or outside the scope. */
export async function lockTeamShared(tx: Transaction, scope: Scope, teamId: string): Promise<boolean> {
  if (scope.kind === 'team' && scope.teamId !== teamId) return false;
  const { rows } = await sql`select from teams where id = ${teamId} for key share`.execute(tx);
  return rows.length === 1;
}

export async function lockSelectedTeamShared(tx: Transaction, teamId: RawBuilder<unknown>): Promise<void> {
  await sql`select from teams where id = (${teamId}) for key share`.execute(tx);
}

/** Locks the selected team against changes, so that a ban waits for the transaction. */
export async function lockSelectedTeam(
  tx: Transaction,
  teamId: RawBuilder<unknown>,
): Promise<{ banned: boolean } | undefined> {
  const { rows } = await sql<{ banned: boolean }>`
    select t.banned from teams t where t.id = (${teamId}) for share`.execute(tx);
  return rows[0];
}

export async function teamExists(db: Database | Transaction, teamId: string): Promise<boolean> {
  const { rows } = await sql`select from teams where id = ${teamId}`.execute(db);
  return rows.length === 1;
}

export async function findTeamState(
  db: Database,
  teamId: string,
): Promise<{ name: string; banned: boolean } | undefined> {
  return db.selectFrom('teams').select(['name', 'banned']).where('id', '=', teamId).executeTakeFirst();
}

export async function countTeamsOnPlan(tx: Transaction, name: string): Promise<number> {
  const { rows } = await sql<{ teams: number }>`
    select count(*) as teams from teams where plan_name = ${name}`.execute(tx);
  return rows[0]?.teams ?? 0;
}

export const teamsExcept = (ids: readonly string[]) => sql`
  select id from teams where id <> all(${ids}::uuid[])`;

/** Locks all teams against changes, and the table against new ones, until the commit. */
export async function lockTeams(tx: Transaction): Promise<void> {
  await sql`lock table teams in share mode`.execute(tx);
}

export interface Retention {
  teamId: string;
  retentionDays: number;
}

/** The teams after an id, in order of their ids. */
export async function selectRetentions(db: Database, after: string, limit: number): Promise<Retention[]> {
  const { rows } = await sql<Retention>`
    select t.id as "teamId", ${numberSetting('retention_days')} as "retentionDays" from teams t
    where t.id > ${after}::uuid order by t.id limit ${limit}`.execute(db);
  return rows;
}

export async function lockTeam(tx: Transaction, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select id from teams where id = ${id} for update`.execute(tx);
  return rows[0]?.id;
}

/** Returns the ids of the team's API keys. Watched by count_teams and record_team_event. */
export async function deleteTeamRow(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ key_id: string }>`
    with removed as (delete from teams where id = ${teamId})
    ${keysOfTeam(teamId)}`.execute(tx);
  return rows.map((row) => row.key_id);
}

export const teamNames = sql`select id, name from teams`;

export const teamName = (column: string) => sql`(select t.name from teams t where t.id = ${sql.ref(column)})`;
