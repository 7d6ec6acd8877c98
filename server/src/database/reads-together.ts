import DataLoader from 'dataloader';

/** The most that one statement reads; more are read by another, on another connection. */
const maxTogether = 100;

/**
 * Reads as one what is asked for in one turn of the event loop: a statement for each costs a busy server more than all
 * else that a plain read does. `read` answers in the order in which it is asked; when it fails, all who asked are told.
 * Nothing is kept: what is read is never older than the question.
 */
export function readTogether<Asked, Found>(
  read: (asked: readonly Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  const loader = new DataLoader<Asked, Found>(read, {
    cache: false,
    maxBatchSize: maxTogether,
    // After every request whose bytes have come was looked at.
    batchScheduleFn: (send) => setImmediate(send),
  });
  return (asked) => loader.load(asked);
}
