import { aborted } from 'node:util';
import { ProviderError } from '../../../ports/provider-error.ts';

/** Makes a call reject when its signal, the last argument, aborts. Every error becomes a `ProviderError`. */
export const abortable =
  <Given extends unknown[], Result>(call: (...given: [...Given, AbortSignal]) => Promise<Result>) =>
  async (...given: [...Given, AbortSignal]): Promise<Result> => {
    const signal = given.at(-1) as AbortSignal; // the last element of the tuple
    try {
      signal.throwIfAborted();
      const called = call(...given);
      const stop = aborted(signal, called).then(() => Promise.reject(signal.reason));
      return await Promise.race([called, stop]);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new ProviderError('transient', message, { cause: error });
    }
  };
