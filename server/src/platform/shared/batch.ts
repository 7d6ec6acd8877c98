import { withDeadline } from './deadline.ts';

/** A longer run probably waits for a dead connection. */
const maxRunMs = 20_000;

interface Waiting<Item, Result> {
  item: Item;
  deferred: PromiseWithResolvers<Result>;
}

export interface Batch<Item, Result> {
  add(item: Item): Promise<Result>;
}

/** `run` returns one result per item, in order. After 20 s it rejects them, and later calls may overlap it. */
export function createBatch<Item, Result>(options: {
  waitMs: number;
  /** Collects items for this long after each batch, because each batch costs more than its items. Default: 0. */
  pauseMs?: number | undefined;
  maxItems: number;
  run(items: Item[]): Promise<readonly Result[]>;
}): Batch<Item, Result> {
  const { pauseMs = 0 } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running = false;

  const runBatch = async (batch: readonly Waiting<Item, Result>[]) => {
    try {
      const results = await withDeadline(maxRunMs, () => options.run(batch.map(({ item }) => item)));
      for (const [index, { deferred }] of batch.entries()) {
        deferred.resolve(results[index] as Result); // `run` returns one result for each item
      }
    } catch (error) {
      for (const { deferred } of batch) deferred.reject(error);
    }
  };

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, options.maxItems);
      waiting = waiting.slice(options.maxItems);
      await runBatch(batch);
      if (pauseMs > 0 && waiting.length < options.maxItems)
        await new Promise((go) => setTimeout(go, pauseMs));
    }
    running = false;
  };

  return {
    add(item) {
      const deferred = Promise.withResolvers<Result>();
      waiting.push({ item, deferred });
      if (waiting.length >= options.maxItems) void flush();
      else if (!running) timer ??= setTimeout(() => void flush(), options.waitMs);
      return deferred.promise;
    },
  };
}
