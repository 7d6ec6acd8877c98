import { sql } from 'kysely';
import { joinTeam } from '../teams/teams.sql.ts';

/**
 * Adds messages to what their teams pay for messages in a month (its first day). Needs a CTE `priced` with `team_id` and
 * `pricing`, a `Pricing` in JSON. Skips teams that no longer exist.
 */
export const addMessagePrices = (month: string) => sql`
  insert into monthly_message_prices as u (team_id, month, category, currency, billable, not_billable, without_price, amount)
  select m.team_id, ${month}::date, m.category, m.currency, m.billable::int, (not m.billable)::int, (m.amount is null)::int,
         m.amount
  from (select team_id, pricing ->> 'category' as category, coalesce(pricing ->> 'currency', '') as currency,
               (pricing -> 'billable')::boolean as billable, (pricing ->> 'amount')::numeric as amount from priced) m
  ${joinTeam('m.team_id')} for key share of t
  on conflict (team_id, month, category, currency) do update set
    billable = u.billable + excluded.billable, not_billable = u.not_billable + excluded.not_billable,
    without_price = u.without_price + excluded.without_price,
    amount = coalesce(u.amount + excluded.amount, u.amount, excluded.amount)`;
