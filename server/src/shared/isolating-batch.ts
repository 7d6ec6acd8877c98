import { createBatch } from './batch.ts';
import { withDeadline } from './deadline.ts';
import type { Logger } from './logger.ts';

/** Longer than a batch waits for a connection. One that takes longer has met a connection that answers no more. */
const longestTogetherMs = 15_000;

/**
 * Does items together that arrive together, and on its own what could not be: what one of them fails by, or waits for, is
 * no other's concern. The answer rejects with what its item alone met.
 */
export function createIsolatingBatch<Item, Result extends NonNullable<unknown>>(options: {
  /** As of a batch. */
  waitMs: number;
  maxItems: number;
  /**
   * All or, when it rejects, none. One result for each item, in their order; null for what is to be done on its own. It is
   * waited for 15 s at most.
   */
  runBatch(items: readonly Item[]): Promise<readonly (Result | null)[]>;
  /** The item may be done already, or just then, by a call of `together` that was not heard of in time. */
  runOne(item: Item): Promise<Result>;
  logger: Pick<Logger, 'warn'>;
  /** The clause that the log says of a batch that failed. */
  failure: string;
}): (item: Item) => Promise<Result> {
  const { waitMs, maxItems, runBatch: together, runOne: alone, logger, failure } = options;
  const batch = createBatch<Item, Result | null>({
    waitMs,
    maxItems,
    run: async (items) => {
      try {
        return await withDeadline(longestTogetherMs, () => together(items));
      } catch (error) {
        logger.warn({ err: error, items: items.length }, `${failure}; each is tried on its own`);
        return items.map(() => null);
      }
    },
  });
  return async (item) => (await batch.add(item)) ?? alone(item);
}
