/**
 * The port to the store of document bytes. Keys are slash-separated relative paths of `[A-Za-z0-9._-]` segments; a key
 * outside that alphabet, or with a `.` or `..` segment, is refused with an error by every operation.
 */
export interface FileStore {
  readonly name: string;
  /** Atomic: a reader sees the whole object or none, also after a crash. Replaces an object under the same key. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Moves an object atomically. Succeeds when it was moved already (source absent, target present). */
  move(from: string, to: string): Promise<void>;
  /** The object's bytes, or `null` when there is none. */
  get(key: string): Promise<Uint8Array | null>;
  exists(key: string): Promise<boolean>;
  /** Idempotent: deleting what is not there succeeds. */
  delete(key: string): Promise<void>;
  /** Keys under a prefix, for the sweep of orphans. */
  list(prefix: string): AsyncIterable<string>;
}
