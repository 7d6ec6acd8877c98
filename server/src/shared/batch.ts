import { withDeadline } from './deadline.ts';

/** One that takes longer has met a connection that answers no more, which is no reason for all others to wait. */
const longestRunMs = 20_000;

interface Waiting<Item, Result> {
  item: Item;
  answer: PromiseWithResolvers<Result>;
}

/**
 * Hands items over together: those that arrive within `waitMs` of the first make one call of `run`. What arrives during
 * one makes the next, the more the longer it takes.
 */
export interface Batch<Item, Result> {
  /** Rejects with what `run` rejected with. */
  add(item: Item): Promise<Result>;
}

/**
 * `run` answers one result for each item, in their order. One that has not ended after 20 s fails for its items, and may
 * end beside those that follow.
 */
export function createBatch<Item, Result>(options: {
  waitMs: number;
  maxItems: number;
  run(items: Item[]): Promise<readonly Result[]>;
}): Batch<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running = false;

  const runOne = async (taken: readonly Waiting<Item, Result>[]) => {
    try {
      const results = await withDeadline(longestRunMs, () => options.run(taken.map(({ item }) => item)));
      for (const [index, { answer }] of taken.entries()) {
        // One result for each item, by the contract of `run`.
        answer.resolve(results[index] as Result);
      }
    } catch (error) {
      for (const { answer } of taken) answer.reject(error);
    }
  };

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      const taken = waiting.slice(0, options.maxItems);
      waiting = waiting.slice(options.maxItems);
      await runOne(taken);
    }
    running = false;
  };

  return {
    add(item) {
      const answer = Promise.withResolvers<Result>();
      waiting.push({ item, answer });
      if (waiting.length >= options.maxItems) void flush();
      else if (!running) timer ??= setTimeout(() => void flush(), options.waitMs);
      return answer.promise;
    },
  };
}
