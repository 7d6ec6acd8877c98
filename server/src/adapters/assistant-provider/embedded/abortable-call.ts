import { ProviderError } from '../assistant-provider.ts';

/**
 * Runs the work and rejects when the signal aborts. Every rejection is a `ProviderError`; other errors (database
 * failures, aborts) become `transient`.
 */
export async function runAbortable<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) throw toProviderError(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } catch (error) {
    throw toProviderError(error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ProviderError('transient', message, { cause: error });
}
