import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { nextUpdate } from '../../platform/database/next-update.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { teamsWithPlans, textSetting } from '../../tenancy/teams/teams.sql.ts';
import type { Hours, PutHours } from './hours.schemas.ts';

export interface HoursRow {
  hours: Hours | null;
  timezone: string;
  updated_at: Date | null;
}

/** Returns undefined if the team is missing or outside the scope. */
export async function selectHours(
  db: Database | Transaction,
  scope: Scope,
  teamId: string,
): Promise<HoursRow | undefined> {
  const { rows } = await sql<HoursRow>`
    select nullif(h.hours, 'null') as hours, ${textSetting('timezone')} as timezone, h.updated_at
    from ${teamsWithPlans} left join opening_hours h on h.team_id = t.id
    where t.id = ${teamId} and ${inScope(scope, 't.id')}`.execute(db);
  return rows[0];
}

/** Returns false if they changed after `expected`. */
export async function upsertHours(
  tx: Transaction,
  teamId: string,
  { hours, expected_updated_at: expected }: PutHours,
): Promise<boolean> {
  const { rows } = await sql`
    insert into opening_hours as h (team_id, hours) values (${teamId}, ${JSON.stringify(hours ?? null)}::jsonb)
    on conflict (team_id) do update set hours = excluded.hours, updated_at = ${nextUpdate('h.updated_at')}
    ${expected === undefined ? sql`` : sql`where h.updated_at = ${expected}::timestamptz`}
    returning h.team_id`.execute(tx);
  return rows.length === 1;
}
