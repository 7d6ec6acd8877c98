import type { BotLoader } from '../src/knowledge/bots/bot-loader.ts';
import type { Adapters, Context } from '../src/process/context.ts';
import { runCasesJob } from '../src/quality/runs/runs.jobs.ts';

type Dependencies = Parameters<typeof runCasesJob>[0];

/** Creates the job that answers the questions of runs. Models have no prices, and no spans are recorded. */
export const createRunJob = (
  { context, bots }: { context: Context & Adapters; bots: BotLoader },
  replaced: Partial<Dependencies> = {},
) => {
  const { db, provider, clock, recordModelCalls } = context;
  return runCasesJob({
    db,
    provider,
    clock,
    recordModelCalls,
    bots,
    recordSpan: () => undefined,
    prices: new Map(),
    modelDeadlineMs: 20_000,
    ...replaced,
  });
};
