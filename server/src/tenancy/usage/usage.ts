import { activeMessageLimit } from './active-messages.ts';
import type { MessagePricesRow, ModelSums, ModelUsage, UsageRow } from './usage.queries.ts';
import type { TeamUsage } from './usage.schemas.ts';

/** `month` is its first day, YYYY-MM-DD. */
export function presentUsage(
  row: UsageRow,
  { ai, messagePrices }: { ai: ModelUsage; messagePrices: readonly MessagePricesRow[] },
  month: string,
): TeamUsage {
  const limit = activeMessageLimit(row.active_messages_quota);
  return {
    quotas: {
      bots: { used: row.bots_used, limit: row.bots_limit },
      accounts: { used: row.accounts_used, limit: row.accounts_limit },
      characters: { used: row.characters_used, limit: row.characters_limit },
      documents: { used: row.documents_used, limit: row.documents_limit },
      members: { used: row.members_used, limit: row.members_limit },
      credits: { used: row.credits_used, limit: row.credits_limit },
    },
    active_messages: {
      month: month.slice(0, 7),
      used: row.active_messages_used,
      quota: row.active_messages_quota,
      limit,
      remaining: Math.max(0, limit - row.active_messages_used),
    },
    ai: {
      ...presentSums(ai.total),
      by_model: ai.models.map(({ provider, model, ...sums }) => ({ provider, model, ...presentSums(sums) })),
    },
    message_prices: messagePrices.map((prices) => ({
      category: prices.category,
      currency: prices.currency,
      billable: prices.billable,
      not_billable: prices.not_billable,
      without_price: prices.without_price,
      amount: prices.amount,
    })),
  };
}

/** Nothing is known about no calls, except that they used nothing. */
function presentSums(sums: ModelSums) {
  const known = (sum: number | null) => (sums.calls === 0 ? 0 : sum);
  return {
    calls: sums.calls,
    calls_without_tokens: sums.calls_without_tokens,
    calls_without_cost: sums.calls_without_cost,
    input_tokens: known(sums.input_tokens),
    cached_tokens: known(sums.cached_tokens),
    output_tokens: known(sums.output_tokens),
    reasoning_tokens: known(sums.reasoning_tokens),
    cost: known(sums.cost),
  };
}
