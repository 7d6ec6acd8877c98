import type { Database, Transaction } from '../../platform/database/database.ts';
import type { ModelUsage } from '../../ports/language-model/language-model.ts';
import type { StepUsage } from '../../ports/provider-error.ts';
import { insertModelCalls, type ModelCallPurpose } from './model-calls.sql.ts';
import { costOf, type ModelPrices } from './model-prices.ts';

interface ModelCalls {
  teamId: string;
  purpose: ModelCallPurpose;
  answerId: string | null;
  usage: readonly StepUsage[];
}

/**
 * Stores calls of language models with their costs and adds them to the month (its first day). Skips teams that no longer
 * exist. Call it after the credits are charged, so that transactions lock the rows of a team in the same order.
 */
export type RecordModelCalls = (
  db: Database | Transaction,
  calls: readonly ModelCalls[],
  month: string,
) => Promise<void>;

export const createModelCallRecorder =
  (prices: ModelPrices): RecordModelCalls =>
  async (db, calls, month) => {
    const rows = calls.flatMap(({ usage, ...origin }) =>
      usage.map(({ provider, model, tokens: reported }) => {
        const tokens = readTokens(reported);
        return { ...origin, provider, model, tokens, cost: costOf(tokens, prices.get(model)) };
      }),
    );
    // The embedded provider calls no model and pays nothing for this.
    if (rows.length > 0) await insertModelCalls(db, rows, month);
  };

const maxTokens = 1e9;

/** Treats impossible counts as unknown: an answer must not fail because of them. */
function readTokens(reported: ModelUsage | null): ModelUsage {
  const read = (name: keyof ModelUsage) => {
    const count = reported?.[name] ?? null;
    return Number.isInteger(count) && Number(count) >= 0 && Number(count) <= maxTokens ? count : null;
  };
  return {
    input: read('input'),
    cached: read('cached'),
    output: read('output'),
    reasoning: read('reasoning'),
  };
}
