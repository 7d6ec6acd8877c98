import { withDeadline } from '../../platform/shared/deadline.ts';
import { ProviderError } from '../provider-error.ts';
import type { Embedding } from './embedding.ts';

export interface GuardedEmbedding {
  readonly model: string;
  /**
   * Embeds the texts within the time for this purpose. Rejects with `ProviderError`: at once for some time after a failure,
   * at most a minute, so that no caller waits for a provider that is down.
   */
  embed(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<Float32Array[]>;
  /** Milliseconds until the provider is tried again after a failure. */
  pauseMs(purpose: Purpose): number;
  /** For operators. `failure` is null if the last request of each purpose succeeded. */
  describe(): { model: string; failure: EmbeddingFailure | null };
}

type Purpose = 'question' | 'pairs' | 'passages';

interface EmbeddingFailure {
  kind: ProviderError['kind'];
  message: string;
  since: Date;
}

export type EmbeddingOutcome = 'ok' | ProviderError['kind'];

/** A contact waits for the answer to a question. */
const defaultTimeoutsMs = { question: 2_000, pairs: 30_000, passages: 30_000 };
const firstPauseMs = 1000;
const maxPauseMs = 60_000;

interface Failed extends EmbeddingFailure {
  error: ProviderError;
  pauseMs: number;
  until: number;
}

/** Whether only the operator can mend it. */
export const isLasting = ({ kind }: ProviderError): boolean =>
  kind === 'auth' || kind === 'quota_exhausted' || kind === 'invalid_config';

export function createGuardedEmbedding({
  embedding,
  onRequest,
  timeoutsMs = defaultTimeoutsMs,
  elapsed = () => performance.now(),
}: {
  embedding: Embedding;
  onRequest(purpose: Purpose, outcome: EmbeddingOutcome): void;
  timeoutsMs?: Readonly<Record<Purpose, number>>;
  elapsed?: () => number;
}): GuardedEmbedding {
  /** One purpose does not pause the other: a document that fails must not keep questions from being embedded. */
  const failures = new Map<Purpose, Failed>();
  const pauseOf = (purpose: Purpose) => Math.max(0, (failures.get(purpose)?.until ?? 0) - elapsed());

  const record = (purpose: Purpose, error: ProviderError): void => {
    // Requests that were under way together count as one failure.
    if (pauseOf(purpose) > 0) return;
    const before = failures.get(purpose);
    const backoffMs = before === undefined ? firstPauseMs : 2 * before.pauseMs;
    const leastMs = isLasting(error) ? maxPauseMs : (error.retryAfter ?? 0) * 1000;
    const pauseMs = Math.min(maxPauseMs, Math.max(backoffMs, leastMs));
    const { kind, message } = error;
    const since = before?.since ?? new Date();
    failures.set(purpose, { kind, message, since, error, pauseMs, until: elapsed() + pauseMs });
  };

  return {
    model: embedding.model,
    pauseMs: pauseOf,
    describe() {
      const [first] = failures.values();
      const failure = first && { kind: first.kind, message: first.message, since: first.since };
      return { model: embedding.model, failure: failure ?? null };
    },
    async embed(texts, purpose, signal) {
      const before = failures.get(purpose);
      if (before !== undefined && pauseOf(purpose) > 0) throw before.error;
      const timeoutMs = timeoutsMs[purpose];
      try {
        const vectors = await withDeadline(timeoutMs, (limited) => embedding.embed(texts, limited), signal);
        failures.delete(purpose);
        onRequest(purpose, 'ok');
        return vectors;
      } catch (cause) {
        signal?.throwIfAborted();
        const error = cause instanceof ProviderError ? cause : timedOut(timeoutMs, cause);
        onRequest(purpose, error.kind);
        // A refusal concerns these texts only.
        if (error.kind !== 'refused') record(purpose, error);
        throw error;
      }
    },
  };
}

const timedOut = (timeoutMs: number, cause: unknown): ProviderError =>
  new ProviderError('transient', `The embedding provider did not respond within ${timeoutMs} ms`, { cause });
