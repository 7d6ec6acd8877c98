import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { toModelLevel } from '../../knowledge/bots/assistant-spec.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import { makeDue } from '../conversations/claims.sql.ts';
import { answerCost } from './credits.ts';
import { selectResting } from './resting.queries.ts';

const batch = 500;
const lowestId = '00000000-0000-0000-0000-000000000000';

interface Dependencies {
  db: Database;
  clock: Pick<Clock, 'now'>;
}

/** Makes conversations due that waited for credits, as many per team as it can pay for. */
export const answerWithNewCreditsJob = (dependencies: Dependencies): Job => ({
  name: 'answer-with-new-credits',
  schedule: '* * * * *',
  maxAttempts: 1,
  run: (_payload, signal) => answerWithNewCredits(dependencies, signal),
});

async function answerWithNewCredits({ db, clock }: Dependencies, signal: AbortSignal): Promise<void> {
  const month = toMonth(clock.now());
  const spent = new Map<string, number>();
  for (let after = lowestId; !signal.aborted; ) {
    const waiting = await selectResting(db, 'out_of_credits', { month, after, limit: batch });
    const affordable = waiting.filter(({ teamId, chatModelLevel, creditsUsed, creditsLimit }) => {
      const used = (spent.get(teamId) ?? creditsUsed) + answerCost(chatModelLevel);
      if (used > creditsLimit) return false;
      spent.set(teamId, used);
      return true;
    });
    if (affordable.length > 0) {
      await makeDue(
        db,
        'out_of_credits',
        affordable.map(({ conversationId }) => conversationId),
      );
    }
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < batch) return;
    after = last.conversationId;
  }
}

/** Makes conversations due that rest because the AI provider failed, as soon as their model works again. */
export const answerAfterFailureJob = (
  dependencies: Dependencies & { provider: Pick<AssistantProvider, 'checkModel'> },
): Job => ({
  name: 'answer-after-failure',
  schedule: '* * * * *',
  maxAttempts: 1,
  run: (_payload, signal) => answerAfterFailure(dependencies, signal),
});

async function answerAfterFailure(
  { db, clock, provider }: Dependencies & { provider: Pick<AssistantProvider, 'checkModel'> },
  signal: AbortSignal,
): Promise<void> {
  const month = toMonth(clock.now());
  const works = new Map<number, Promise<boolean>>();
  const isWorking = (level: number): Promise<boolean> => {
    const checked = works.get(level) ?? checkLevel(provider, level, signal);
    works.set(level, checked);
    return checked;
  };
  for (let after = lowestId; !signal.aborted; ) {
    const waiting = await selectResting(db, 'provider_failed', { month, after, limit: batch });
    const answerable: string[] = [];
    for (const { conversationId, chatModelLevel } of waiting)
      if (await isWorking(chatModelLevel)) answerable.push(conversationId);
    if (answerable.length > 0) await makeDue(db, 'provider_failed', answerable);
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < batch) return;
    after = last.conversationId;
  }
}

const checkLevel = (
  provider: Pick<AssistantProvider, 'checkModel'>,
  level: number,
  signal: AbortSignal,
): Promise<boolean> =>
  provider.checkModel({ modelLevel: toModelLevel(level) }, signal).then(
    () => true,
    () => false,
  );
