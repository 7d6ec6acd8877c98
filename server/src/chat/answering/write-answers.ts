import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { nullIfLocked } from '../../platform/database/lock-timeout.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createIsolatingBatch } from '../../platform/shared/isolating-batch.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { RecordModelCalls } from '../../tenancy/usage/model-calls.ts';
import { costOfCalls, type ModelPrices } from '../../tenancy/usage/model-prices.ts';
import type { Claim } from '../conversations/claims.sql.ts';
import { lockClaim, lockFreeClaims } from '../conversations/claims.sql.ts';
import { markNoticed } from '../conversations/conversations.sql.ts';
import { ignoreUnansweredMessages } from '../conversations/unanswered-messages.ts';
import { enqueueReplies, type ReplyPart } from '../messages/outbox.ts';
import { completeAnswers } from './completion.queries.ts';
import type { InboundContent } from './inbound-content.ts';
import type { Reply } from './reply.ts';

export interface FinishedAnswer {
  claim: Claim;
  bot: LoadedBot;
  messages: readonly InboundContent[];
  reply: Reply;
  parts: readonly ReplyPart[];
}

type Writing = { outcome: 'written'; due: boolean } | { outcome: 'lost' } | { outcome: 'out_of_credits' };

export interface AnswerWriter {
  write(finished: FinishedAnswer): Promise<Writing>;
}

interface WriterDependencies {
  db: Database;
  clock: Clock;
  recordModelCalls: RecordModelCalls;
  prices: ModelPrices;
}

class CreditsUsedUp extends Error {
  override readonly name = 'CreditsUsedUp';
}

/**
 * Writes answers that finish at the same time in one transaction, which skips locked conversations and limits the wait for
 * a team's credits. Retries the skipped and failed answers individually.
 */
export function createAnswerWriter(
  deps: WriterDependencies & { logger: Pick<Logger, 'warn'> },
): AnswerWriter {
  const write = createIsolatingBatch<FinishedAnswer, Writing>({
    waitMs: 0,
    maxItems: 64,
    runBatch: (answers) => writeTogether(deps, answers),
    groupOf: ({ claim }) => claim.teamId,
    runOne: (answer) => nullIfLocked(() => writeAlone(deps, answer)),
    logger: deps.logger,
    failure: 'failed to write a batch of answers',
  });
  return { write };
}

/** Returns null for a locked conversation or a lost claim, and for all answers if a team lacks credits. */
async function writeTogether(
  deps: WriterDependencies,
  answers: readonly FinishedAnswer[],
): Promise<(Writing | null)[]> {
  try {
    return await deps.db.transaction().execute(async (tx) => {
      const locked = await lockFreeClaims(
        tx,
        answers.map(({ claim }) => claim),
      );
      const writable = answers.filter(({ claim }) => locked.has(claim));
      const due = await complete(deps, tx, writable);
      return answers.map(({ claim }) => (locked.has(claim) ? written(claim, due) : null));
    });
  } catch (error) {
    if (error instanceof CreditsUsedUp) return answers.map(() => null);
    throw error;
  }
}

/** The claim's fence prevents a second write if the batch committed but the acknowledgement was lost. */
async function writeAlone(deps: WriterDependencies, answer: FinishedAnswer): Promise<Writing> {
  const { claim } = answer;
  try {
    return await deps.db.transaction().execute(async (tx) => {
      if (!(await lockClaim(tx, claim))) return { outcome: 'lost' };
      return written(claim, await complete(deps, tx, [answer]));
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
  { clock, recordModelCalls, prices }: WriterDependencies,
  tx: Transaction,
  answers: readonly FinishedAnswer[],
): Promise<Set<string>> {
  if (answers.length === 0) return new Set();
  const month = toMonth(clock.now());
  const identified = answers.map((finished) => ({ ...finished, answerId: newId() }));
  await enqueueReplies(
    tx,
    ...identified.map(({ claim: { teamId, deviceId, contactNumber }, answerId, messages, parts }) => ({
      teamId,
      deviceId,
      contactNumber,
      origin: 'bot' as const,
      answerId,
      requestId: messages.at(-1)?.id ?? null,
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
        version: version ?? 0,
        answered: reply.answered,
        credits: reply.credits,
        trace: reply.trace,
        count: reply.count,
        cost: costOfCalls(reply.usage, prices),
      },
      messages,
      end: { flag: reply.flag, pauseMinutes: reply.pauseMinutes },
    })),
    month,
  );
  if (due === null) throw new CreditsUsedUp();
  const calls = identified.map(({ claim: { teamId }, answerId, reply: { usage } }) => ({
    teamId,
    answerId,
    usage,
    purpose: 'answer' as const,
  }));
  await recordModelCalls(tx, calls, month);
  const noticed = answers.filter(({ reply }) => reply.notice !== null);
  await markNoticed(
    tx,
    noticed.map(({ claim }) => claim.conversationId),
  );
  // After `completeAnswers`, which marks the answered messages.
  for (const { claim, reply } of answers)
    if (reply.pauseMinutes !== null) await ignoreUnansweredMessages(tx, claim);
  return due;
}
