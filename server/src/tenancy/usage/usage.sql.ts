import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { joinPlan } from '../plans/plans.sql.ts';
import { effectiveQuota, joinTeam, teamsWithPlans } from '../teams/teams.sql.ts';

export const insertTeamUsage = sql`insert into team_usage (team_id, members) select id, 1 from team`;

type CountedQuota = 'bots' | 'accounts' | 'members';

/** Returns null if charged, or the current use if the quota is used up. Watched by record_team_usage_event. */
export async function chargeQuota(
  tx: Transaction,
  teamId: string,
  quota: CountedQuota,
): Promise<{ used: number; limit: number } | null> {
  const used = sql.ref(`u.${quota}`);
  const charged = await sql`
    update team_usage u set ${sql.ref(quota)} = ${used} + 1
    from ${teamsWithPlans}
    where u.team_id = ${teamId} and t.id = u.team_id and ${used} < ${effectiveQuota(quota)}
    returning u.team_id`.execute(tx);
  if (charged.rows.length === 1) return null;
  const { rows } = await sql<{ used: number; limit: number }>`
    select ${used} as used, ${effectiveQuota(quota)} as limit
    from ${teamsWithPlans} join team_usage u on u.team_id = t.id
    where t.id = ${teamId}`.execute(tx);
  return rows[0] ?? { used: 0, limit: 0 };
}

/** Watched by record_team_usage_event. */
export async function refundAccount(tx: Transaction, teamId: string): Promise<void> {
  await sql`
    update team_usage set accounts = greatest(accounts - 1, 0) where team_id = ${teamId}`.execute(tx);
}

/** Watched by record_team_usage_event. */
export async function refundMember(tx: Transaction, teamId: string): Promise<void> {
  await sql`update team_usage set members = greatest(members - 1, 0) where team_id = ${teamId}`.execute(tx);
}

/** Needs a CTE `gone` with `team_id` and `bots`. Watched by record_team_usage_event. */
export const refundBots = sql`
  update team_usage set bots = team_usage.bots - gone.bots from gone where team_usage.team_id = gone.team_id`;

/** Needs `teams t` and `plans p`. `month` is its first day. */
export const creditColumns = (month: string) => sql`
  coalesce((select u.credits from monthly_usage u where u.team_id = t.id and u.month = ${month}::date), 0)
    as "creditsUsed",
  ${effectiveQuota('credits')} as "creditsLimit"`;

/**
 * `costs` has one row above 0 per team. Returns no row for a team with insufficient credits. `month` is its first day.
 * Watched by record_monthly_usage_event.
 */
export const chargeCosts = (costs: RawBuilder<unknown>, month: unknown) => sql`
  insert into monthly_usage as u (team_id, month, credits)
  select t.id, ${month}::date, costs.credits
  from ${costs} ${joinTeam('costs.team_id')} ${joinPlan}
  where costs.credits <= ${effectiveQuota('credits')}
  order by t.id
  for key share of t
  on conflict (team_id, month) do update set credits = u.credits + excluded.credits
    where u.credits + excluded.credits <= (
      select ${effectiveQuota('credits')} from ${teamsWithPlans}
      where t.id = u.team_id)
  returning u.team_id`;

export async function chargeCredits(
  db: Database | Transaction,
  teamId: string,
  month: string,
  cost: number,
): Promise<boolean> {
  const costs = sql`(select ${teamId}::uuid as team_id, ${cost}::int as credits) costs`;
  const { rows } = await chargeCosts(costs, month).execute(db);
  return rows.length === 1;
}

/** Needs a CTE `settled` with `team_id` and `charged_month`, which may be null. Watched by record_monthly_usage_event. */
export const refundActiveMessages = sql`
  update monthly_usage u set active_messages = greatest(u.active_messages - gone.messages, 0)
  from (select team_id, charged_month, count(*)::int as messages from settled
        where charged_month is not null group by team_id, charged_month) gone
  where u.team_id = gone.team_id and u.month = gone.charged_month`;

/**
 * Selects ids of `messages`, a query with `id`, `team_id` and `charged_month`. Locks the months of their teams and leaves out
 * messages whose month another transaction has locked, so that a refund of many teams never waits for one of them.
 */
export const withFreeMonths = (messages: RawBuilder<unknown>) => sql`
  with candidate as materialized (${messages}), free_month as materialized (
    select team_id, month from monthly_usage
    where (team_id, month) in (select team_id, charged_month from candidate) for no key update skip locked
  )
  select candidate.id from candidate
  left join monthly_usage u on u.team_id = candidate.team_id and u.month = candidate.charged_month
  where u.team_id is null or (u.team_id, u.month) in (select team_id, month from free_month)`;

/** The quotas that are used to 80% or more. `month` is the first day of a UTC calendar month. */
export function quotaWarnings(scope: Scope, month: string): RawBuilder<unknown> {
  const ofTeam = (['bots', 'accounts', 'characters', 'documents', 'members'] as const).map(
    (name) => sql`(${name}, ${sql.ref(`u.${name}`)}::bigint, ${effectiveQuota(name)}::bigint)`,
  );
  return sql`
    select t.id as team_id, t.name as team_name, q.quota, q.used, q."limit"
    from ${teamsWithPlans}
    join team_usage u on u.team_id = t.id
    left join monthly_usage m on m.team_id = t.id and m.month = ${month}::date
    cross join lateral (values ${sql.join(ofTeam)}, ('credits', m.credits, ${effectiveQuota('credits')}::bigint),
                        ('active_messages', m.active_messages, p.active_messages_monthly)) as q (quota, used, "limit")
    where ${inScope(scope, 't.id')} and q."limit" > 0 and q.used * 5 >= q."limit" * 4`;
}
