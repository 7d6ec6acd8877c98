import { setTimeout as delay } from 'node:timers/promises';
import { APIError } from 'openai';
import { createModelError } from '../../../ports/language-model/model-errors.ts';
import { ProviderError } from '../../../ports/provider-error.ts';

/** The SDK reports network failures without a status. */
export function toHostedError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof APIError)) return new ProviderError('transient', message, { cause: error });
  return createModelError({
    status: error.status,
    message,
    text: `${message} ${JSON.stringify(error.error ?? null)}`,
    retryAfter: error.headers?.get('retry-after') ?? null,
    cause: error,
  });
}

const isMissing = (error: unknown): boolean => error instanceof APIError && error.status === 404;

/** Returns null if OpenAI has no such object. */
export async function orMissing<Result>(call: PromiseLike<Result>): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const firstDelayMs = 500;
const maxDelayMs = 8_000;

/** Repeats `work` after passing failures until the signal aborts. `work` must be safe to repeat. */
export async function repeatUntilDone<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let retries = 0; ; retries += 1) {
    try {
      signal.throwIfAborted();
      return await work();
    } catch (error) {
      if (signal.aborted)
        throw new ProviderError('transient', 'OpenAI did not respond in time', { cause: error });
      const failure = isMissing(error)
        ? new ProviderError('not_found', 'OpenAI has no such object', { cause: error })
        : toHostedError(error);
      if (failure.kind !== 'transient' && failure.kind !== 'rate_limited') throw failure;
      const backoff = Math.min(firstDelayMs * 2 ** retries, maxDelayMs) * (0.5 + Math.random() / 2);
      await pause(Math.max(backoff, (failure.retryAfter ?? 0) * 1000), signal, failure);
    }
  }
}

/** Rejects with the failure instead of the signal's reason, because it names the cause. */
async function pause(ms: number, signal: AbortSignal, failure: ProviderError): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    throw failure;
  }
}
