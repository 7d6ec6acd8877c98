/** The library reads them for each message, and replaces their values instead of changing them. */
const kinds: ReadonlySet<string> = new Set(['session', 'identity-key', 'tctoken']);
/** The keys of about 80 chats. */
const maxEntries = 256;

/** The recently used keys of a device. Null is the value of an absent key. */
export class KeyCache {
  /** Least recently used first. */
  readonly #values = new Map<string, unknown>();
  #changes = 0;

  get(kind: string, id: string): unknown {
    const key = toKey(kind, id);
    const value = this.#values.get(key);
    if (value !== undefined) this.#remember(key, value);
    return value;
  }

  /** Returns false if the key has this value already. */
  update({ kind, id, value }: { kind: string; id: string; value: unknown }): boolean {
    if (!kinds.has(kind)) return true;
    const key = toKey(kind, id);
    if (this.#values.get(key) === value) return false;
    this.#changes += 1;
    this.#remember(key, value);
    return true;
  }

  /** Reads keys that are not cached. Does not remember them if another one was written meanwhile, which could be one of them. */
  async fill(
    kind: string,
    ids: readonly string[],
    read: () => Promise<Map<string, unknown>>,
  ): Promise<Map<string, unknown>> {
    const changes = this.#changes;
    const found = await read();
    if (kinds.has(kind) && changes === this.#changes)
      for (const id of ids) this.#remember(toKey(kind, id), found.get(id) ?? null);
    return found;
  }

  #remember(key: string, value: unknown): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > maxEntries && oldest !== undefined) this.#values.delete(oldest);
  }
}

const toKey = (kind: string, id: string): string => `${kind} ${id}`;
