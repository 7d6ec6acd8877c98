import { ExtractionError } from './extraction.ts';

export interface ExtractionQueue {
  /** Waits for a turn. Rejects with `overloaded` when too many wait or the signal aborts, with `interrupted` once closed. */
  take(signal?: AbortSignal): Promise<void>;
  /** Gives the turn to whoever waits longest. */
  giveBack(): void;
  /** Turns away those who wait and those who come. */
  close(): void;
}

/** At most `concurrency` turns at a time, and at most `maxWaiting` that wait for one, first come, first served. */
export function createExtractionQueue(concurrency: number, maxWaiting: number): ExtractionQueue {
  const waiting: PromiseWithResolvers<void>[] = [];
  let taken = 0;
  let closed = false;
  return {
    async take(signal) {
      if (closed) throw createStoppingError();
      if (taken < concurrency) {
        taken += 1;
        return;
      }
      if (waiting.length >= maxWaiting)
        throw new ExtractionError('overloaded', 'Too many documents wait to be read');
      const tooLate = () => new ExtractionError('overloaded', 'The documents before it took too long');
      if (signal?.aborted === true) throw tooLate();
      const turn = Promise.withResolvers<void>();
      waiting.push(turn);
      const leave = () => {
        const place = waiting.indexOf(turn);
        if (place === -1) return;
        waiting.splice(place, 1);
        turn.reject(tooLate());
      };
      signal?.addEventListener('abort', leave, { once: true });
      await turn.promise.finally(() => signal?.removeEventListener('abort', leave));
    },
    giveBack() {
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next.resolve();
    },
    close() {
      closed = true;
      for (const turn of waiting.splice(0)) turn.reject(createStoppingError());
    },
  };
}

/** What happens to documents that are read or wait while the server stops. */
export const createStoppingError = (): ExtractionError =>
  new ExtractionError('interrupted', 'The server is stopping');
