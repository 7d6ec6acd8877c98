/** A map of at most `capacity` entries, the longest unused leaving first. */
export interface BoundedMap<Key, Value> {
  /** Counts as a use. */
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

export function createBoundedMap<Key, Value>(capacity: number): BoundedMap<Key, Value> {
  // A Map keeps its entries in the order of insertion, so putting one in again makes it the youngest.
  const entries = new Map<Key, Value>();
  let youngest: Key | undefined;
  const put = (key: Key, value: Value) => {
    entries.delete(key);
    entries.set(key, value);
    youngest = key;
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined && key !== youngest) put(key, value);
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
