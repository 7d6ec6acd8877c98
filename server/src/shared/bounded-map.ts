export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

/** Drops the least recently used entries beyond `capacity`. */
export function createBoundedMap<Key, Value>(capacity: number): BoundedMap<Key, Value> {
  // A Map iterates in insertion order, so an entry that is inserted again becomes the newest.
  const entries = new Map<Key, Value>();
  let newest: Key | undefined;
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
      put(key, value);
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity) break;
        entries.delete(oldest);
      }
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
