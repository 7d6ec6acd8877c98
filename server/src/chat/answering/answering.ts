import type { Notifications } from '../../platform/database/notifications.ts';
import { createBatch } from '../../platform/shared/batch.ts';
import { toMonth } from '../../platform/shared/clock.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { createPoller, type Poller } from '../../platform/shared/poller.ts';
import { currentRequest } from '../../platform/telemetry/current-request.ts';
import type { RecordSpan } from '../../platform/telemetry/spans.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { isLasting, ProviderError } from '../../ports/provider-error.ts';
import type { RecordModelCalls } from '../../tenancy/usage/model-calls.ts';
import type { ModelPrices } from '../../tenancy/usage/model-prices.ts';
import {
  type Claim,
  claimDue,
  postponeClaim,
  releaseClaim,
  renewClaims,
} from '../conversations/claims.sql.ts';
import { createMediaFiles } from '../messages/media-files.ts';
import { type AnswerDependencies, answerConversation, endClaim } from './answer-conversation.ts';
import type { AnsweringMeters } from './answering-metrics.ts';
import type { ActionResult, CallAction } from './call-action.ts';
import { type ConversationContext, selectConversationContexts } from './conversation-context.queries.ts';
import { getRetry } from './retry.ts';
import { ClaimLost } from './tool-call-log.ts';
import { createAnswerWriter } from './write-answers.ts';

export interface Answering {
  /** Stops claiming, waits up to `graceMs` for running answers, then aborts them and releases their claims. */
  close(): Promise<void>;
}

interface AnsweringLimits {
  /** Answers that run at once, without those that wait for the response of an action. */
  concurrency: number;
  /** Answers of one team that run or wait for an action. */
  concurrencyPerTeam: number;
  /** All answers that run or wait for an action. */
  maxClaims: number;
  /** If a worker dies, its conversations are free again after this time. */
  leaseSeconds: number;
  pollMs: number;
  answerTimeoutMs: number;
  /** Less than a minute, because the contact also waits for the reply delay and for actions. */
  modelDeadlineMs: number;
  graceMs: number;
}

const defaultLimits: AnsweringLimits = {
  concurrency: 64,
  concurrencyPerTeam: 16,
  maxClaims: 512,
  leaseSeconds: 15,
  pollMs: 1000,
  answerTimeoutMs: 60_000,
  modelDeadlineMs: 45_000,
  graceMs: 5000,
};

/** Twice as many answers as calls of the model, so that other calls begin at once when some end. */
const limitsWithModel = (modelConcurrency: number): Partial<AnsweringLimits> => {
  const concurrency = Math.max(defaultLimits.concurrency, 4 * modelConcurrency);
  return {
    concurrency,
    concurrencyPerTeam: Math.max(defaultLimits.concurrencyPerTeam, 2 * modelConcurrency),
    maxClaims: Math.max(defaultLimits.maxClaims, concurrency),
  };
};

export interface AnsweringOptions
  extends Omit<AnswerDependencies, 'loadContext' | 'writer' | 'modelDeadlineMs' | 'mediaFiles'>,
    Partial<AnsweringLimits> {
  /** Calls of the language model that run at once. 0 without a model. */
  modelConcurrency?: number;
  fileStore: Pick<FileStore, 'get' | 'put'>;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  logger: Logger;
  metrics: { answering: AnsweringMeters };
  recordModelCalls: RecordModelCalls;
  prices: ModelPrices;
}

interface RunningAnswer {
  controller: AbortController;
  done: Promise<void>;
}

/** Records the call of an action as a part of the answer, without its arguments and its result. */
async function callWithSpan(
  recordSpan: RecordSpan,
  call: () => Promise<ActionResult>,
  [{ name }]: Parameters<CallAction>,
): Promise<ActionResult> {
  const startedAt = Date.now();
  const result = await call();
  const requestId = currentRequest.getStore();
  if (requestId !== undefined)
    recordSpan({
      name: `execute_tool ${name}`,
      requestId,
      kind: 'client',
      startedAt,
      failed: result.error !== null,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.type': 'extension',
        'http.response.status_code': result.status,
        'error.type': result.error === null ? null : String(result.status ?? 'not_called'),
      },
    });
  return result;
}

class Closing extends Error {
  override readonly name = 'Closing';
}

export const startAnswering = (options: AnsweringOptions): Answering =>
  new AnsweringWorker(options, {
    ...defaultLimits,
    ...limitsWithModel(options.modelConcurrency ?? 0),
    ...options,
  });

class AnsweringWorker implements Answering {
  readonly #options: AnsweringOptions;
  readonly #limits: AnsweringLimits;
  readonly #dependencies: AnswerDependencies;
  readonly #running = new Map<Claim, RunningAnswer>();
  readonly #poller: Poller;
  readonly #renewal: NodeJS.Timeout;
  readonly #unsubscribe: (() => void)[];
  #waitingForActions = 0;
  /** Whether due conversations may wait for the end of a running answer. */
  #mayWaitForSlot = true;
  #lastTeamId: string | null = null;

  constructor(options: AnsweringOptions, limits: AnsweringLimits) {
    const { db, clock, metrics, notifications } = options;
    this.#options = options;
    this.#limits = limits;
    const contexts = createBatch<Claim, ConversationContext | undefined>({
      waitMs: 0,
      maxItems: limits.concurrency,
      run: (claims) =>
        selectConversationContexts(db, claims, {
          month: toMonth(clock.now()),
          images: options.provider.seesImages,
        }),
    });
    this.#dependencies = {
      ...options,
      modelDeadlineMs: limits.modelDeadlineMs,
      loadContext: contexts.add,
      writer: createAnswerWriter(options),
      mediaFiles: createMediaFiles(options),
      callAction: (...call) =>
        this.#withoutSlot(() => callWithSpan(options.recordSpan, () => options.callAction(...call), call)),
    };
    this.#poller = createPoller(() => this.#claim(), limits.pollMs);
    this.#renewal = setInterval(() => void this.#renew(), (limits.leaseSeconds * 1000) / 3);
    this.#unsubscribe = [
      metrics.answering.observe(() => this.#running.size),
      notifications.subscribe('conversation-due', this.#poller.wake),
      notifications.onGap(this.#poller.wake),
    ];
    this.#poller.wake();
  }

  async close(): Promise<void> {
    for (const stop of this.#unsubscribe) stop();
    await this.#poller.close();
    const grace = setTimeout(() => {
      for (const { controller } of this.#running.values()) controller.abort(new Closing());
    }, this.#limits.graceMs);
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    clearTimeout(grace);
    clearInterval(this.#renewal);
  }

  async #claim(): Promise<number> {
    const { db, logger } = this.#options;
    const { leaseSeconds, pollMs, concurrencyPerTeam: limitPerTeam } = this.#limits;
    const limit = this.#countFreeSlots();
    this.#mayWaitForSlot = true;
    if (limit <= 0) return pollMs;
    try {
      const running = this.#countByTeam();
      const { claims, moreMayBeDue, nextDueMs, lastTeamId } = await claimDue(db, {
        limit,
        limitPerTeam,
        running,
        leaseSeconds,
        afterTeamId: this.#lastTeamId,
      });
      if (claims.length > 0) faultPoint('answer.after_claim');
      for (const claim of claims) this.#begin(claim);
      this.#lastTeamId = lastTeamId ?? this.#lastTeamId;
      if (claims.length === limit) return pollMs;
      if (moreMayBeDue) return 0;
      this.#mayWaitForSlot = [...this.#countByTeam().values()].some((count) => count >= limitPerTeam);
      return nextDueMs ?? pollMs;
    } catch (error) {
      logger.warn({ err: error }, 'failed to claim due conversations');
      return pollMs;
    }
  }

  #countFreeSlots(): number {
    const { concurrency, maxClaims } = this.#limits;
    const claims = this.#running.size;
    return Math.min(concurrency - (claims - this.#waitingForActions), maxClaims - claims);
  }

  #countByTeam(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { teamId } of this.#running.keys()) counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
    return counts;
  }

  /** Slow endpoints of some teams must not occupy the slots of all. */
  async #withoutSlot<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#waitingForActions += 1;
    this.#wakeIfSlotIsWanted();
    try {
      return await call();
    } finally {
      this.#waitingForActions -= 1;
    }
  }

  #begin(claim: Claim): void {
    // Abort this worker's earlier attempt: its lease expired before this claim.
    for (const earlier of this.#running.keys()) {
      if (earlier.conversationId === claim.conversationId) this.#abort(earlier);
    }
    const { answering: meters } = this.#options.metrics;
    const startedAt = performance.now();
    meters.claims.inc({ kind: claim.attempts === 1 ? 'first' : 'again' });
    const controller = new AbortController();
    const done = this.#answer(claim, controller.signal).finally(() => {
      meters.durations.observe((performance.now() - startedAt) / 1000);
      this.#running.delete(claim);
      this.#wakeIfSlotIsWanted();
    });
    this.#running.set(claim, { controller, done });
  }

  #wakeIfSlotIsWanted(): void {
    if (this.#mayWaitForSlot) this.#poller.wake();
  }

  async #answer(claim: Claim, aborted: AbortSignal): Promise<void> {
    const { logger, metrics } = this.#options;
    try {
      await withDeadline(
        this.#limits.answerTimeoutMs,
        (signal) => answerConversation(this.#dependencies, claim, signal),
        aborted,
      );
      metrics.answering.ended.inc({ outcome: 'done' });
    } catch (error) {
      await this.#fail(claim, error).catch((failure: unknown) =>
        logger.warn(
          { err: failure, conversationId: claim.conversationId, teamId: claim.teamId },
          'failed to release a conversation; it stays claimed until the lease expires',
        ),
      );
    }
  }

  async #fail(claim: Claim, error: unknown): Promise<void> {
    const { db, logger, metrics } = this.#options;
    const { conversationId, teamId, deviceId, attempts } = claim;
    const outcome = toOutcome(error);
    metrics.answering.ended.inc({ outcome });
    if (outcome === 'lost') return;
    if (outcome === 'handed_back') return releaseClaim(db, claim);
    logger.warn(
      { err: error, conversationId, teamId, deviceId, attempts },
      'failed to answer a conversation',
    );
    const failure = error instanceof ProviderError ? error : null;
    if (failure !== null) await this.#recordFailedCalls(teamId, failure);
    const flagReason = failure?.kind ?? null;
    // A repetition cannot help until the operator acts. A job finds out when that has happened, unless the provider rejects this
    // conversation.
    const isFinal = failure !== null && (isLasting(failure) || failure.kind === 'rejected');
    const retry = isFinal ? null : getRetry(attempts, failure?.retryAfter ?? null);
    if (retry === null) return endClaim(this.#options, claim, 'provider_failed', flagReason);
    await postponeClaim(db, claim, { ...retry, flagReason });
  }

  /** Calls of earlier steps are stored with the tool calls, and the answer records them. */
  async #recordFailedCalls(teamId: string, { usage }: ProviderError): Promise<void> {
    const { db, clock, recordModelCalls } = this.#options;
    const calls = [{ teamId, purpose: 'answer' as const, answerId: null, usage }];
    await recordModelCalls(db, calls, toMonth(clock.now()));
  }

  #abort(claim: Claim): void {
    this.#running.get(claim)?.controller.abort(new ClaimLost());
  }

  async #renew(): Promise<void> {
    const { db, logger } = this.#options;
    const claims = [...this.#running.keys()];
    if (claims.length === 0) return;
    try {
      const lost = await renewClaims(db, claims, this.#limits.leaseSeconds);
      for (const claim of lost) this.#abort(claim);
    } catch (error) {
      logger.warn({ err: error }, 'failed to renew the claims on conversations');
    }
  }
}

function toOutcome(error: unknown): 'lost' | 'handed_back' | 'failed' {
  if (error instanceof ClaimLost) return 'lost';
  return error instanceof Closing ? 'handed_back' : 'failed';
}
