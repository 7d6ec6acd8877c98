import DataLoader from 'dataloader';

/** What waits on one connection; more are read on others. */
const maxTogether = 100;

/**
 * Reads as one, a hundred at most, what is asked for in one turn of the event loop: sending a statement for each is half
 * of what a plain read costs a busy server. `read` answers in the order in which it is asked; when it fails, all who asked
 * are told. Nothing is kept: what is read is never older than the question.
 */
export function createLoader<Asked, Found>(
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
