import type { PublishedBot } from '../bots/bot-loader.ts';
import type { Claim } from '../conversations/claims.sql.ts';
import { lockClaim, lockFreeClaims } from '../conversations/claims.sql.ts';
import { ignoreUnansweredMessages } from '../conversations/unanswered-messages.ts';
import type { Database, Transaction } from '../database/database.ts';
import { enqueueReplies, type ReplyPart } from '../messages/outbox.ts';
import { type Clock, toMonth } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { createIsolatingBatch } from '../shared/isolating-batch.ts';
import type { Logger } from '../shared/logger.ts';
import { completeAnswers } from './completion.queries.ts';
import type { InboundContent } from './inbound-content.ts';
import type { Reply } from './reply.ts';

export interface FinishedAnswer {
  claim: Claim;
  bot: PublishedBot;
  messages: readonly InboundContent[];
  reply: Reply;
  parts: readonly ReplyPart[];
}

type Writing = { outcome: 'written'; due: boolean } | { outcome: 'lost' } | { outcome: 'out_of_credits' };

export interface AnswerWriter {
  write(finished: FinishedAnswer): Promise<Writing>;
}

class CreditsUsedUp extends Error {
  override readonly name = 'CreditsUsedUp';
}

/**
 * Writes answers that finish at the same time in one transaction, which skips locked conversations and limits the wait for
 * a team's credits. Retries the skipped and failed answers individually.
 */
export function createAnswerWriter(deps: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}): AnswerWriter {
  const write = createIsolatingBatch<FinishedAnswer, Writing>({
    waitMs: 0,
    maxItems: 64,
    runBatch: (answers) => writeTogether(deps, answers),
    runOne: (answer) => writeAlone(deps, answer),
    logger: deps.logger,
    failure: 'failed to write a batch of answers',
  });
  return { write };
}

/** Returns null for a locked conversation or a lost claim, and for all answers if a team lacks credits. */
async function writeTogether(
  { db, clock }: { db: Database; clock: Clock },
  answers: readonly FinishedAnswer[],
): Promise<(Writing | null)[]> {
  try {
    return await db.transaction().execute(async (tx) => {
      const locked = await lockFreeClaims(
        tx,
        answers.map(({ claim }) => claim),
      );
      const writable = answers.filter(({ claim }) => locked.has(claim));
      const due = await complete(tx, writable, toMonth(clock.now()));
      return answers.map(({ claim }) => (locked.has(claim) ? written(claim, due) : null));
    });
  } catch (error) {
    if (error instanceof CreditsUsedUp) return answers.map(() => null);
    throw error;
  }
}

/** The claim's fence prevents a second write if the batch committed but the acknowledgement was lost. */
async function writeAlone(
  { db, clock }: { db: Database; clock: Clock },
  answer: FinishedAnswer,
): Promise<Writing> {
  const { claim } = answer;
  try {
    return await db.transaction().execute(async (tx) => {
      if (!(await lockClaim(tx, claim))) return { outcome: 'lost' };
      return written(claim, await complete(tx, [answer], toMonth(clock.now())));
    });
  } catch (error) {
    if (error instanceof CreditsUsedUp) return { outcome: 'out_of_credits' };
    throw error;
  }
}

const written = ({ conversationId }: Claim, due: ReadonlySet<string>): Writing => ({
  outcome: 'written',
  due: due.has(conversationId),
});

/**
 * Writes the answers of locked claims and returns the conversations that are due again. Throws `CreditsUsedUp` if a team
 * lacks credits.
 */
async function complete(
  tx: Transaction,
  answers: readonly FinishedAnswer[],
  month: string,
): Promise<Set<string>> {
  if (answers.length === 0) return new Set();
  const identified = answers.map((finished) => ({ ...finished, answerId: newId() }));
  await enqueueReplies(
    tx,
    ...identified.map(({ claim: { teamId, deviceId, contactNumber }, answerId, parts }) => ({
      teamId,
      deviceId,
      contactNumber,
      origin: 'bot' as const,
      answerId,
      parts,
    })),
  );
  const due = await completeAnswers(
    tx,
    identified.map(({ claim, bot: { botId, version }, messages, reply, answerId }) => ({
      claim,
      answer: {
        id: answerId,
        botId,
        version,
        answered: reply.answered,
        credits: reply.credits,
        trace: reply.trace,
      },
      messages,
      end: { flag: reply.flag, pauseMinutes: reply.pauseMinutes },
    })),
    month,
  );
  if (due === null) throw new CreditsUsedUp();
  // After `completeAnswers`, which marks the answered messages.
  for (const { claim, reply } of answers)
    if (reply.pauseMinutes !== null) await ignoreUnansweredMessages(tx, claim);
  return due;
}
