import { ProviderError } from '../adapters/assistant-provider/assistant-provider.ts';
import {
  type Claim,
  claimDue,
  postponeClaim,
  releaseClaim,
  renewClaims,
  selectNextDue,
} from '../conversations/claims.sql.ts';
import type { Notifications } from '../database/notifications.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createBatch } from '../shared/batch.ts';
import { toMonth } from '../shared/clock.ts';
import { withDeadline } from '../shared/deadline.ts';
import type { Logger } from '../shared/logger.ts';
import { type AnswerDependencies, answerConversation, endClaim } from './answer-conversation.ts';
import { type ConversationContext, selectConversationContexts } from './conversation-context.queries.ts';
import { createPoller } from './poller.ts';
import { getRetry } from './retry.ts';
import { createAnswerWriter } from './write-answers.ts';

/** A worker that answers conversations when they are due; any number of processes side by side. */
export interface Answering {
  /** Claims no more, lets the answers under way end for a while, and hands the others back. */
  close(): Promise<void>;
}

export interface AnsweringOptions extends Omit<AnswerDependencies, 'situationOf' | 'writer'> {
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  logger: Logger;
  metrics: Pick<Metrics, 'answering'>;
  /** Answers made at a time. */
  concurrency?: number;
  /** How long a worker that went silent keeps its conversations. */
  leaseSeconds?: number;
  /** How often it looks without being told to. */
  pollMs?: number;
  /** For one answer with all its actions. */
  answerTimeoutMs?: number;
  /** For the answers under way when it closes. */
  graceMs?: number;
}

interface Running {
  /** Aborts when the claim is lost or the worker closes. */
  controller: AbortController;
  done: Promise<void>;
}

class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

class Closing extends Error {
  override readonly name = 'Closing';
}

export function startAnswering(options: AnsweringOptions): Answering {
  const { db, logger, notifications } = options;
  const { concurrency = 64, leaseSeconds = 15, pollMs = 1000 } = options;
  const { answerTimeoutMs = 60_000, graceMs = 5000 } = options;
  const meters = options.metrics.answering;
  const running = new Map<Claim, Running>();
  /** Conversations that are claimed together are looked at together. */
  const situations = createBatch<Claim, ConversationContext | undefined>({
    waitMs: 0,
    maxItems: concurrency,
    run: (claims) => selectConversationContexts(db, claims, toMonth(options.clock.now())),
  });
  const answering = { ...options, situationOf: situations.add, writer: createAnswerWriter(options) };
  const looking = createPoller(look, pollMs);

  /** Answers in how many milliseconds to look again. */
  async function look(): Promise<number> {
    const free = concurrency - running.size;
    if (free <= 0) return pollMs;
    try {
      const claims = await claimDue(db, free, leaseSeconds);
      if (claims.length > 0) options.faultPoint('answer.after_claim');
      for (const claim of claims) begin(claim);
      return claims.length === free ? pollMs : ((await selectNextDue(db)) ?? pollMs);
    } catch (error) {
      logger.warn({ err: error }, 'conversations that are due could not be claimed');
      return pollMs;
    }
  }

  function begin(claim: Claim): void {
    // Whose lease this worker itself let run out has lost the conversation to it.
    for (const earlier of running.keys()) {
      if (earlier.conversationId === claim.conversationId) abandon(earlier);
    }
    const since = performance.now();
    meters.claims.inc({ kind: claim.attempts === 1 ? 'first' : 'again' });
    const controller = new AbortController();
    const done = withDeadline(
      answerTimeoutMs,
      (signal) => answerConversation(answering, claim, signal),
      controller.signal,
    )
      .then(
        () => meters.ended.inc({ outcome: 'done' }),
        (error: unknown) => giveUp(claim, error),
      )
      .catch((error: unknown) =>
        logger.warn(
          { err: error, conversationId: claim.conversationId, teamId: claim.teamId },
          'a conversation stays claimed until its lease ends',
        ),
      )
      .finally(() => {
        meters.durations.observe((performance.now() - since) / 1000);
        running.delete(claim);
        looking.wake();
      });
    running.set(claim, { controller, done });
  }

  async function giveUp(claim: Claim, error: unknown): Promise<void> {
    const { conversationId, teamId, deviceId, attempts } = claim;
    const outcome = outcomeOf(error);
    meters.ended.inc({ outcome });
    if (outcome === 'lost') return;
    if (outcome === 'handed_back') return releaseClaim(db, claim);
    const ids = { conversationId, teamId, deviceId };
    logger.warn({ err: error, ...ids, attempts }, 'a conversation could not be answered');
    const retry = getRetry(attempts, error instanceof ProviderError ? error.retryAfter : null);
    if (retry === null) return endClaim(options, claim, 'provider_failed');
    await postponeClaim(db, claim, retry);
  }

  const abandon = (claim: Claim) => running.get(claim)?.controller.abort(new ClaimLost());

  const renewal = setInterval(
    async () => {
      const claims = [...running.keys()];
      if (claims.length === 0) return;
      try {
        const lost = await renewClaims(db, claims, leaseSeconds);
        for (const claim of lost) abandon(claim);
      } catch (error) {
        logger.warn({ err: error }, 'the claims on conversations could not be renewed');
      }
    },
    (leaseSeconds * 1000) / 3,
  );
  const unsubscribe = [
    meters.observe(() => running.size),
    notifications.subscribe('conversation-due', looking.wake),
    notifications.onGap(looking.wake),
  ];
  looking.wake();

  return {
    async close() {
      for (const stop of unsubscribe) stop();
      await looking.close();
      const grace = setTimeout(() => {
        for (const { controller } of running.values()) controller.abort(new Closing());
      }, graceMs);
      await Promise.all([...running.values()].map(({ done }) => done));
      clearTimeout(grace);
      clearInterval(renewal);
    },
  };
}

function outcomeOf(error: unknown): 'lost' | 'handed_back' | 'failed' {
  if (error instanceof ClaimLost) return 'lost';
  return error instanceof Closing ? 'handed_back' : 'failed';
}
