import { type FileHandle, open } from 'node:fs/promises';

interface Waiting<Entry, Effect> {
  entry: Entry;
  settle: PromiseWithResolvers<Effect>;
}

/**
 * An append-only log, one JSON value per line. An entry takes effect only when it is on the disk: `append` writes it,
 * syncs it, hands it to `apply` in log order, and answers with what `apply` made of it. Entries that arrive while a
 * sync runs share the next one. Opening applies everything the file holds; a torn last line, never acknowledged, is cut.
 */
export class Journal<Entry, Effect> {
  readonly #file: FileHandle | null;
  readonly #apply: (entry: Entry) => Effect;
  #waiting: Waiting<Entry, Effect>[] = [];
  #flushing: Promise<void> | null = null;
  #failure: Error | null = null;

  private constructor(file: FileHandle | null, apply: (entry: Entry) => Effect) {
    this.#file = file;
    this.#apply = apply;
  }

  /** With `path` null nothing is kept beyond this process. */
  static async open<Entry, Effect>(
    path: string | null,
    apply: (entry: Entry) => Effect,
  ): Promise<Journal<Entry, Effect>> {
    if (path === null) return new Journal(null, apply);
    const file = await open(path, 'a+', 0o600);
    try {
      await replay(file, path, apply);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new Journal(file, apply);
  }

  /** Rejects when the entry could not be made durable; every later one is refused too. */
  append(entry: Entry): Promise<Effect> {
    if (this.#failure) return Promise.reject(this.#failure);
    const settle = Promise.withResolvers<Effect>();
    this.#waiting.push({ entry, settle });
    this.#flushing ??= this.#flush();
    return settle.promise;
  }

  /** Waits for what was appended, then refuses more. */
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
        this.#failure = new Error('the journal cannot be written', { cause: error });
        for (const { settle } of [...batch, ...this.#waiting]) settle.reject(this.#failure);
        this.#waiting = [];
        break;
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
    await this.#file.appendFile(batch.map(({ entry }) => `${JSON.stringify(entry)}\n`).join(''));
    await this.#file.datasync();
  }
}

async function replay<Entry>(file: FileHandle, path: string, apply: (entry: Entry) => unknown) {
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
}

function parseLine<Entry>(line: string, path: string, lineNumber: number): Entry {
  try {
    // The file is written by this class alone, with entries of this type.
    return JSON.parse(line) as Entry;
  } catch (cause) {
    throw new Error(`${path} is damaged at line ${lineNumber}`, { cause });
  }
}
