type Stored = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Returns the storage of the browser. A page in a frame of another site may have none: its values last as long as the page. */
function openStorage(name: 'localStorage' | 'sessionStorage'): Stored {
  try {
    const storage = globalThis[name] as Storage | undefined;
    if (storage !== undefined) return storage;
  } catch {
    // Reading the property throws.
  }
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

export const browserStorage = openStorage('localStorage');
export const tabStorage = openStorage('sessionStorage');
