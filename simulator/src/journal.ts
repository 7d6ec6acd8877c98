import { type FileHandle, open } from 'node:fs/promises';

interface Waiting<Entry, Effect> {
  entry: Entry;
  settle: PromiseWithResolvers<Effect>;
}

/**
 * An append-only log, one JSON value per line. `append` writes and syncs an entry, then calls `apply` in log order and
 * returns its result. Entries that arrive during a sync share the next one. Opening replays the file and truncates an
 * incomplete last line. If a write fails, for example on a full disk, the entry is rejected and the write is undone.
 */
export class Journal<Entry, Effect> {
  readonly #file: FileHandle | null;
  readonly #apply: (entry: Entry) => Effect;
  /** Bytes of complete entries. */
  #length: number;
  #waiting: Waiting<Entry, Effect>[] = [];
  #flushing: Promise<void> | null = null;
  #failure: Error | null = null;

  private constructor(file: FileHandle | null, apply: (entry: Entry) => Effect, length = 0) {
    this.#file = file;
    this.#length = length;
    this.#apply = apply;
  }

  /** Keeps nothing on disk when `path` is null. */
  static async open<Entry, Effect>(
    path: string | null,
    apply: (entry: Entry) => Effect,
  ): Promise<Journal<Entry, Effect>> {
    if (path === null) return new Journal(null, apply);
    const file = await open(path, 'a+', 0o600);
    try {
      return new Journal(file, apply, await replay(file, path, apply));
    } catch (error) {
      await file.close();
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
    }
    this.#flushing = null;
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
