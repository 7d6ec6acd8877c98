import { ProviderError } from '../assistant-provider.ts';

/** Makes a call reject when its signal, the last argument, aborts. Every error becomes a `ProviderError`. */
export const abortable =
  <Given extends unknown[], Result>(call: (...given: [...Given, AbortSignal]) => Promise<Result>) =>
  (...given: [...Given, AbortSignal]): Promise<Result> =>
    // The last element of the tuple.
    runAbortable(given.at(-1) as AbortSignal, () => call(...given));

/** Rejects when the signal aborts. Turns every error that is not a `ProviderError` into a `transient` one. */
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
