import { withDeadline } from './deadline.ts';

/** A run that takes longer probably waits for a dead connection, and others must not wait for it. */
const longestRunMs = 20_000;

interface Waiting<Item, Result> {
  item: Item;
  answer: PromiseWithResolvers<Result>;
}

export interface Batch<Item, Result> {
  add(item: Item): Promise<Result>;
}

/**
 * Collects the items that arrive within `waitMs` of the first for one call of `run`. Items that arrive during a call make
 * the next one. `run` returns one result for each item, in order. After 20 s it fails for its items, and later calls may
 * overlap with it.
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
        answer.resolve(results[index] as Result); // `run` returns one result for each item
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
