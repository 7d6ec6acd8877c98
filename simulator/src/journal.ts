import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

interface Waiting<Entry, Effect> {
  entry: Entry;
  settle: PromiseWithResolvers<Effect>;
}

interface Compaction<Entry> {
  maxBytes: number;
  /** Returns entries that restore the current state. */
  entries: () => Iterable<Entry>;
  /** Called when the file stays as it is. The next attempt is made at twice its size. */
  onFailure: (error: unknown) => void;
}

/**
 * An append-only log, one JSON value per line. `append` writes and syncs an entry, then calls `apply` in log order and
 * returns its result. Entries that arrive during a sync share the next one. Opening replays the file and truncates an
 * incomplete last line. If a write fails, for example on a full disk, the entry is rejected and the write is undone. A file
 * over the limit of `Compaction` is replaced by one with the entries of the current state.
 */
export class Journal<Entry, Effect> {
  #file: FileHandle | null;
  readonly #path: string;
  readonly #compaction: Compaction<Entry> | null;
  /** After a compaction at least twice its size, so that a large state is not written again soon. */
  #compactAbove: number;
  readonly #apply: (entry: Entry) => Effect;
  /** Bytes of complete entries. */
  #length: number;
  #waiting: Waiting<Entry, Effect>[] = [];
  #flushing: Promise<void> | null = null;
  #failure: Error | null = null;

  private constructor(
    file: { handle: FileHandle; path: string; length: number } | null,
    apply: (entry: Entry) => Effect,
    compaction: Compaction<Entry> | null,
  ) {
    this.#file = file?.handle ?? null;
    this.#path = file?.path ?? '';
    this.#length = file?.length ?? 0;
    this.#apply = apply;
    this.#compaction = compaction;
    this.#compactAbove = compaction?.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Keeps nothing on disk when `path` is null. */
  static async open<Entry, Effect>(
    path: string | null,
    apply: (entry: Entry) => Effect,
    compaction: Compaction<Entry> | null = null,
  ): Promise<Journal<Entry, Effect>> {
    if (path === null) return new Journal(null, apply, null);
    const handle = await open(path, 'a+', 0o600);
    try {
      const length = await replay(handle, path, apply);
      return new Journal({ handle, path, length }, apply, compaction);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Rejects when the entry could not be written. After a failed sync or truncation it rejects all later entries too. */
  append(entry: Entry): Promise<Effect> {
    if (this.#failure) return Promise.reject(this.#failure);
    const settle = Promise.withResolvers<Effect>();
    this.#waiting.push({ entry, settle });
    this.#flushing ??= this.#flush();
    return settle.promise;
  }

  async close(): Promise<void> {
    this.#failure ??= new Error('the journal is closed');
    await this.#flushing;
    await this.#file?.close();
  }

  async #flush(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch);
      } catch (error) {
        const failure = new Error('the journal cannot be written', { cause: error });
        for (const { settle } of batch) settle.reject(failure);
        continue;
      }
      for (const { entry, settle } of batch) {
        try {
          settle.resolve(this.#apply(entry));
        } catch (error) {
          settle.reject(error);
        }
      }
      if (this.#length > this.#compactAbove) await this.#compact();
    }
    this.#flushing = null;
  }

  /** Runs between two writes, so the state does not change meanwhile. A failure keeps the old file. */
  async #compact(): Promise<void> {
    const staged = `${this.#path}.new`;
    this.#compactAbove = this.#length * 2;
    let handle: FileHandle | null = null;
    let length: number;
    try {
      await rm(staged, { force: true });
      handle = await open(staged, 'a+', 0o600);
      length = await writeEntries(handle, this.#compaction?.entries() ?? []);
      await handle.datasync();
      await rename(staged, this.#path);
    } catch (error) {
      await handle?.close();
      await rm(staged, { force: true }).catch(() => undefined);
      this.#compaction?.onFailure(error);
      return;
    }
    await this.#file?.close().catch(() => undefined);
    this.#file = handle;
    this.#length = length;
    this.#compactAbove = Math.max(this.#compaction?.maxBytes ?? 0, length * 2);
    await this.#failPermanently(syncDirectory(dirname(this.#path))).catch(() => undefined);
  }

  async #write(batch: readonly Waiting<Entry, Effect>[]): Promise<void> {
    if (!this.#file) return;
    const lines = Buffer.from(batch.map(({ entry }) => `${JSON.stringify(entry)}\n`).join(''));
    try {
      await this.#file.appendFile(lines);
    } catch (error) {
      await this.#failPermanently(this.#file.truncate(this.#length));
      throw error;
    }
    await this.#failPermanently(this.#file.datasync());
    this.#length += lines.length;
  }

  /** If `step` fails, the content of the file is unknown and all later entries are rejected. */
  async #failPermanently(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (cause) {
      this.#failure = new Error('the journal cannot be written', { cause });
      for (const { settle } of this.#waiting.splice(0)) settle.reject(this.#failure);
      throw cause;
    }
  }
}

const chunkLength = 1 << 20;

async function writeEntries(file: FileHandle, entries: Iterable<unknown>): Promise<number> {
  let written = 0;
  let text = '';
  const write = async () => {
    written += Buffer.byteLength(text);
    await file.appendFile(text);
    text = '';
  };
  for (const entry of entries) {
    text += `${JSON.stringify(entry)}\n`;
    if (text.length > chunkLength) await write();
  }
  await write();
  return written;
}

/** Makes a rename durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Returns the number of bytes of complete entries. */
async function replay<Entry>(
  file: FileHandle,
  path: string,
  apply: (entry: Entry) => unknown,
): Promise<number> {
  let intact = 0;
  let lineNumber = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 })) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      lineNumber += 1;
      apply(parseLine<Entry>(rest.toString('utf8', start, end), path, lineNumber));
      intact += end + 1 - start;
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) await file.truncate(intact);
  return intact;
}

function parseLine<Entry>(line: string, path: string, lineNumber: number): Entry {
  try {
    // Only this class writes the file.
    return JSON.parse(line) as Entry;
  } catch (cause) {
    throw new Error(`${path} is damaged at line ${lineNumber}`, { cause });
  }
}
