import type { Readable } from 'node:stream';

/** The bytes of a file, at once or as they arrive. */
export type FileSource = Uint8Array | AsyncIterable<Uint8Array>;

/** Destroy the stream if you do not read it to its end. It fails if the file cannot be read to its end. */
export interface OpenFile {
  /** In bytes. */
  size: number;
  stream: Readable;
}

/**
 * Stores the bytes of documents and of large media. Keys are relative paths of `[A-Za-z0-9._-]` segments, separated by
 * slashes. Every operation rejects other keys, and `.` and `..` segments, with a `TypeError`.
 */
export interface FileStore {
  readonly name: string;
  /** Atomic, also after a crash: readers see the old object or the whole new one. A source that fails changes nothing. */
  put(key: string, source: FileSource): Promise<void>;
  /** Succeeds if the object was moved already (no source, but a target). The target is never partial. */
  move(from: string, to: string): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /** Returns the object as a stream, so that its size does not matter to memory. */
  open(key: string): Promise<OpenFile | null>;
  exists(key: string): Promise<boolean>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<string>;
}
