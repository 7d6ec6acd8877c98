import { createBatch } from './batch.ts';
import { withDeadline } from './deadline.ts';
import { createGroupedRetries } from './grouped-retries.ts';
import type { Logger } from './logger.ts';

/** Longer than the wait for a connection from the pool, so a slower batch waits for a dead connection. */
const maxBatchMs = 15_000;

/** Batches items that arrive together and retries failed ones individually, so that no item fails or delays another. */
export function createIsolatingBatch<Item, Result extends NonNullable<unknown>>(options: {
  waitMs: number;
  pauseMs?: number | undefined;
  maxItems: number;
  /** Items of a group, for example a team, bypass the batch while one of them waits for locked rows. */
  groupOf(item: Item): string;
  /** Returns one result per item, in order, within 15 s; null retries the item individually. */
  runBatch(items: readonly Item[]): Promise<readonly (Result | null)[]>;
  /** Returns null if the item's rows are locked; it is then retried. Must be idempotent: a slow `runBatch` may still handle it. */
  runOne(item: Item): Promise<Result | null>;
  logger: Pick<Logger, 'warn'>;
  failure: string;
}): (item: Item) => Promise<Result> {
  const { waitMs, pauseMs, maxItems, groupOf, runBatch: together, runOne: alone, logger, failure } = options;
  const retries = createGroupedRetries();
  const batch = createBatch<Item, Result | null>({
    waitMs,
    pauseMs,
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
  return async (item) => {
    const group = groupOf(item);
    const result = retries.isBlocked(group) ? null : await batch.add(item);
    return result ?? retries.run(group, () => alone(item));
  };
}
