import { makeDue } from '../conversations/claims.sql.ts';
import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { type Clock, toMonth } from '../shared/clock.ts';
import { answerCost } from './credits.ts';
import { selectOutOfCredits } from './out-of-credits.queries.ts';

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
    const waiting = await selectOutOfCredits(db, month, { after, limit: batch });
    const affordable = waiting.filter(({ teamId, chatModelLevel, creditsUsed, creditsLimit }) => {
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
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < batch) return;
    after = last.conversationId;
  }
}
