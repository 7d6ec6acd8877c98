import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Scope } from '../database/scopes.ts';
import type { QuotaName } from '../teams/teams.schemas.ts';
import { effectiveQuota, teamsWithPlans } from '../teams/teams.sql.ts';

type Used = Record<`${QuotaName}_used`, number>;
type Limits = Record<`${QuotaName}_limit`, number>;

export interface UsageRow extends Used, Limits {
  active_messages_used: number;
  active_messages_quota: number;
}

/** `month` is the first day (YYYY-MM-DD) of a UTC calendar month. */
export async function selectUsage(
  db: Database,
  scope: Scope,
  teamId: string,
  month: string,
): Promise<UsageRow | undefined> {
  if (scope.kind === 'team' && scope.teamId !== teamId) return undefined;
  const { rows } = await sql<UsageRow>`
    select u.bots as bots_used, ${effectiveQuota('bots')} as bots_limit,
           u.accounts as accounts_used, ${effectiveQuota('accounts')} as accounts_limit,
           u.characters as characters_used, ${effectiveQuota('characters')} as characters_limit,
           u.documents as documents_used, ${effectiveQuota('documents')} as documents_limit,
           u.members as members_used, ${effectiveQuota('members')} as members_limit,
           coalesce(m.credits, 0) as credits_used, ${effectiveQuota('credits')} as credits_limit,
           coalesce(m.active_messages, 0) as active_messages_used,
           p.active_messages_monthly as active_messages_quota
    from ${teamsWithPlans}
    join team_usage u on u.team_id = t.id
    left join monthly_usage m on m.team_id = t.id and m.month = ${month}::date
    where t.id = ${teamId}`.execute(db);
  return rows[0];
}
