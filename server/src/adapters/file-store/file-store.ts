/**
 * Stores the bytes of documents. Keys are relative paths of `[A-Za-z0-9._-]` segments, separated by slashes. Every
 * operation rejects other keys, and `.` and `..` segments, with a `TypeError`.
 */
export interface FileStore {
  readonly name: string;
  /** Atomic, also after a crash: readers see the old object or the whole new one. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Atomic. Succeeds if the object was moved already (no source, but a target). */
  move(from: string, to: string): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  exists(key: string): Promise<boolean>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<string>;
}
