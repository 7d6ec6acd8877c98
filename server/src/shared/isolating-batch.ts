import { createBatch } from './batch.ts';
import { withDeadline } from './deadline.ts';
import type { Logger } from './logger.ts';

/** Longer than the wait for a connection from the pool, so a slower batch waits for a dead connection. */
const maxBatchMs = 15_000;

/** Batches items that arrive together and retries failed ones individually, so that no item fails or delays another. */
export function createIsolatingBatch<Item, Result extends NonNullable<unknown>>(options: {
  waitMs: number;
  maxItems: number;
  /** Returns one result per item, in order, within 15 s; null retries the item individually. */
  runBatch(items: readonly Item[]): Promise<readonly (Result | null)[]>;
  /** Must be idempotent: a `runBatch` that timed out may still handle the item. */
  runOne(item: Item): Promise<Result>;
  logger: Pick<Logger, 'warn'>;
  failure: string;
}): (item: Item) => Promise<Result> {
  const { waitMs, maxItems, runBatch: together, runOne: alone, logger, failure } = options;
  const batch = createBatch<Item, Result | null>({
    waitMs,
    maxItems,
    run: async (items) => {
      try {
        return await withDeadline(maxBatchMs, () => together(items));
      } catch (error) {
        logger.warn({ err: error, items: items.length }, `${failure}; retrying each individually`);
        return items.map(() => null);
      }
    },
  });
  return async (item) => (await batch.add(item)) ?? alone(item);
}
