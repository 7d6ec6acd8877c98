import DataLoader from 'dataloader';

const maxTogether = 100;

/** Batches the lookups of one event loop turn. `read` returns results in order. Nothing is cached. */
export function createLoader<Key, Value>(
  read: (keys: readonly Key[]) => Promise<Value[]>,
): (key: Key) => Promise<Value> {
  const loader = new DataLoader<Key, Value>(read, {
    cache: false,
    maxBatchSize: maxTogether,
    // After all requests whose bytes have arrived are parsed.
    batchScheduleFn: (send) => setImmediate(send),
  });
  return (key) => loader.load(key);
}
