import { createBoundedMap } from './bounded-map.ts';

export interface FreshReads<Key, Value> {
  /** Returns no promise for a value that is there. It is at most `maxAgeMs` old. */
  get(key: Key): Promise<Value> | Value;
  delete(key: Key): void;
  clear(): void;
}

interface Known<Value> {
  readAt: number;
  /** Null while it is read. */
  result: { value: Value } | null;
  reading: Promise<Value>;
}

/** Keeps what `read` returns for some time, with one read at a time for a key. A failed read is not kept. */
export function createFreshReads<Key, Value>(
  read: (key: Key) => Promise<Value>,
  { maxAgeMs, capacity }: { maxAgeMs: number; capacity: number },
): FreshReads<Key, Value> {
  const known = createBoundedMap<Key, Known<Value>>(capacity);
  return {
    get(key) {
      const now = performance.now();
      const entry = known.get(key);
      if (entry !== undefined && now - entry.readAt < maxAgeMs)
        return entry.result === null ? entry.reading : entry.result.value;
      const reading = read(key);
      // Kept while it is read, so that a change in the meantime removes the entry and no stale value is kept.
      const fresh: Known<Value> = { readAt: now, result: null, reading };
      known.set(key, fresh);
      reading.then(
        (value) => {
          fresh.result = { value };
        },
        () => {
          if (known.get(key) === fresh) known.delete(key);
        },
      );
      return reading;
    },
    delete: known.delete,
    clear: known.clear,
  };
}
