import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { type Clock, toMonth } from '../shared/clock.ts';
import { answerCost } from './credits.ts';
import { makeDue, selectOutOfCredits } from './out-of-credits.queries.ts';

const batch = 500;
const beforeAll = '00000000-0000-0000-0000-000000000000';

interface Dependencies {
  db: Database;
  clock: Pick<Clock, 'now'>;
}

/**
 * Makes conversations due that rest because credits were out, as many of each team as it has credits for again: since the
 * month has turned, or a quota or plan has changed, whoever changed it.
 */
export const answerWithNewCreditsJob = (dependencies: Dependencies): Job => ({
  name: 'answer-with-new-credits',
  schedule: '* * * * *',
  maxAttempts: 1,
  run: (_payload, signal) => answerWithNewCredits(dependencies, signal),
});

async function answerWithNewCredits({ db, clock }: Dependencies, signal: AbortSignal): Promise<void> {
  const month = toMonth(clock.now());
  const spent = new Map<string, number>();
  for (let after = beforeAll; !signal.aborted; ) {
    const resting = await selectOutOfCredits(db, month, { after, limit: batch });
    const affordable = resting.filter(({ teamId, chatModelLevel, creditsUsed, creditsLimit }) => {
      const used = (spent.get(teamId) ?? creditsUsed) + answerCost(chatModelLevel);
      if (used > creditsLimit) return false;
      spent.set(teamId, used);
      return true;
    });
    if (affordable.length > 0) {
      await makeDue(
        db,
        affordable.map(({ conversationId }) => conversationId),
      );
    }
    const last = resting.at(-1);
    if (last === undefined || resting.length < batch) return;
    after = last.conversationId;
  }
}
