export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

/** Drops the least recently used entries beyond `capacity`, and those beyond `limit.max` in sum, but never the newest. */
export function createBoundedMap<Key, Value>(
  capacity: number,
  limit: { sizeOf: (value: Value) => number; max: number } = { sizeOf: () => 0, max: 0 },
): BoundedMap<Key, Value> {
  // A Map iterates in insertion order, so an entry that is inserted again becomes the newest.
  const entries = new Map<Key, Value>();
  let newest: Key | undefined;
  let size = 0;
  const remove = (key: Key) => {
    const value = entries.get(key);
    if (value !== undefined && entries.delete(key)) size -= limit.sizeOf(value);
  };
  const put = (key: Key, value: Value) => {
    entries.delete(key);
    entries.set(key, value);
    newest = key;
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined && key !== newest) put(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      put(key, value);
      size += limit.sizeOf(value);
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity && (size <= limit.max || entries.size === 1)) break;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      entries.clear();
      size = 0;
    },
  };
}
