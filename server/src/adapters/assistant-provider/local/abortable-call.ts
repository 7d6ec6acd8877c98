import { aborted } from 'node:util';
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
  try {
    signal.throwIfAborted();
    const working = work();
    const stop = aborted(signal, working).then(() => Promise.reject(signal.reason));
    return await Promise.race([working, stop]);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new ProviderError('transient', message, { cause: error });
  }
}
