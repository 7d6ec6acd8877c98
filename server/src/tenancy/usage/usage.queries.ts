import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import type { QuotaName } from '../teams/teams.schemas.ts';
import { effectiveQuota, teamsWithPlans } from '../teams/teams.sql.ts';
import { quotaWarnings } from './usage.sql.ts';

type Used = Record<`${QuotaName}_used`, number>;
type Limits = Record<`${QuotaName}_limit`, number>;

export interface UsageRow extends Used, Limits {
  active_messages_used: number;
  active_messages_quota: number;
}

/** Sums of the known values; null if none is known. */
export interface ModelSums {
  calls: number;
  calls_without_tokens: number;
  calls_without_cost: number;
  input_tokens: number | null;
  cached_tokens: number | null;
  output_tokens: number | null;
  reasoning_tokens: number | null;
  cost: number | null;
}

export interface ModelUsage {
  total: ModelSums;
  models: (ModelSums & { provider: string; model: string })[];
}

/** Adds up in the database, because costs are decimal. `month` is its first day. */
export async function selectModelUsage(db: Database, teamId: string, month: string): Promise<ModelUsage> {
  // The total is the first row and names no model.
  const { rows } = await sql<ModelUsage['models'][number]>`
    select provider, model, coalesce(sum(calls), 0)::bigint as calls,
           coalesce(sum(calls_without_tokens), 0)::bigint as calls_without_tokens,
           coalesce(sum(calls_without_cost), 0)::bigint as calls_without_cost,
           sum(input_tokens)::bigint as input_tokens, sum(cached_tokens)::bigint as cached_tokens,
           sum(output_tokens)::bigint as output_tokens, sum(reasoning_tokens)::bigint as reasoning_tokens,
           sum(cost)::float8 as cost
    from monthly_model_usage where team_id = ${teamId} and month = ${month}::date
    group by grouping sets ((), (provider, model)) order by provider nulls first, model`.execute(db);
  const [total, ...models] = rows;
  if (total === undefined) throw new Error('the database returned no total');
  return { total, models };
}

export interface MessagePricesRow {
  category: string;
  currency: string | null;
  billable: number;
  not_billable: number;
  without_price: number;
  amount: number | null;
}

/** `month` is its first day. */
export async function selectMessagePrices(
  db: Database,
  teamId: string,
  month: string,
): Promise<MessagePricesRow[]> {
  const { rows } = await sql<MessagePricesRow>`
    select category, nullif(currency, '') as currency, billable, not_billable, without_price, amount::float8 as amount
    from monthly_message_prices where team_id = ${teamId} and month = ${month}::date
    order by category, monthly_message_prices.currency`.execute(db);
  return rows;
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

interface QuotaWarningRow {
  team_id: string;
  team_name: string;
  quota: QuotaName | 'active_messages';
  used: number;
  limit: number;
}

const maxWarnings = 50;

/** Returns the quotas that are used to 80% or more, the fullest first. `month` is the first day of a UTC calendar month. */
export async function selectQuotaWarnings(
  db: Database,
  scope: Scope,
  month: string,
): Promise<QuotaWarningRow[]> {
  const { rows } = await sql<QuotaWarningRow>`
    select team_id, team_name, quota, used, "limit" from (${quotaWarnings(scope, month)}) q
    order by used::float8 / "limit" desc, team_id, quota limit ${maxWarnings}`.execute(db);
  return rows;
}
