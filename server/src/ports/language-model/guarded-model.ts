import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from '../../platform/shared/deadline.ts';
import { createSemaphore } from '../../platform/shared/semaphore.ts';
import { type LastingFailure, ProviderError } from '../provider-error.ts';
import type { LanguageModel, ModelRequest, ModelResponse, ModelUsage } from './language-model.ts';
import { createModelBreaker } from './model-breaker.ts';

export interface GuardedModel {
  readonly name: string;
  /**
   * Calls the model until `deadline` (in ms of `performance.now`), and again after passing failures. The teams take turns.
   * Rejects with `ProviderError`.
   */
  generate(request: ModelRequest, options: GenerateOptions): Promise<ModelResponse>;
  describeAdaptations(model: string): string[];
  /** The failures that stop calls for now, for operators. Empty if all is well. */
  lastingFailures(): LastingFailure[];
}

interface GenerateOptions {
  teamId: string;
  deadline: number;
  signal: AbortSignal;
}

interface GuardOptions {
  model: LanguageModel;
  /** Of one call. */
  timeoutMs: number;
  /** Calls that this process makes at once. */
  concurrency: number;
  onModelCall: OnModelCall;
}

/** Called after each call, with the reported usage if it succeeded, and the time at which it began. */
export type OnModelCall = (call: {
  model: string;
  outcome: ModelOutcome;
  usage: ModelUsage | null;
  startedAt: number;
}) => void;

export type ModelOutcome = 'ok' | ProviderError['kind'];

const firstDelayMs = 500;
const maxDelayMs = 10_000;
const maxWaiting = 10_000;
const longestWaitMs = 600_000;
/** A call that begins at the deadline has this much time. */
const shortestCallMs = 1000;

const overloaded = () => new ProviderError('transient', 'Too many calls wait for the language model');

/** Limits, repeats and interrupts the calls of a language model. */
export function createGuardedModel({
  model,
  timeoutMs,
  concurrency,
  onModelCall,
}: GuardOptions): GuardedModel {
  const breaker = createModelBreaker();
  const slots = createSemaphore({
    maxRunning: concurrency,
    maxWaiting,
    errors: { full: overloaded, timedOut: overloaded, closed: overloaded },
  });

  const tryOnce = async (request: ModelRequest, options: GenerateOptions): Promise<ModelResponse> => {
    const { teamId, signal } = options;
    const remaining = () => Math.max(options.deadline - performance.now(), shortestCallMs);
    const limitMs = () => Math.min(timeoutMs, remaining());
    const { model: name } = request;
    let startedAt = Date.now();
    const callOnce = (limited: AbortSignal) => {
      startedAt = Date.now();
      return breaker.run(name, () => model.generate(request, limited));
    };
    try {
      const response = await slots.run(() => withDeadline(limitMs(), callOnce, signal), {
        group: teamId,
        maxWaitMs: Math.min(remaining(), longestWaitMs),
        signal,
      });
      onModelCall({ model: name, outcome: 'ok', usage: response.usage, startedAt });
      return response;
    } catch (error) {
      signal.throwIfAborted();
      const failure = error instanceof ProviderError ? error : timedOut(error);
      onModelCall({ model: name, outcome: failure.kind, usage: null, startedAt });
      throw failure;
    }
  };

  return {
    name: model.name,
    describeAdaptations: (name) => model.describeAdaptations?.(name) ?? [],
    lastingFailures: breaker.lastingFailures,
    async generate(request, options) {
      for (let retries = 0; ; retries += 1) {
        try {
          return await tryOnce(request, options);
        } catch (error) {
          if (!(error instanceof ProviderError)) throw error;
          const pause = getPause(error, retries);
          if (pause === null || performance.now() + pause > options.deadline) throw error;
          await delay(pause, undefined, { signal: options.signal });
        }
      }
    },
  };
}

const timedOut = (cause: unknown): ProviderError =>
  new ProviderError('transient', 'The language model did not respond in time', { cause });

/** Returns milliseconds, or null if a repetition cannot help. */
function getPause({ kind, retryAfter }: ProviderError, retries: number): number | null {
  if (kind !== 'rate_limited' && kind !== 'transient') return null;
  const backoff = Math.min(firstDelayMs * 2 ** retries, maxDelayMs) * (0.5 + Math.random() / 2);
  return Math.max(backoff, (retryAfter ?? 0) * 1000);
}
