import assert from 'node:assert/strict';
import { appendFile, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import { Journal } from './journal.ts';

describe('the journal', () => {
  let directory: string;
  let path: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'journal-'));
    path = join(directory, 'journal.jsonl');
  });
  after(() => rm(directory, { recursive: true }));

  async function readEntries(file: string): Promise<unknown[]> {
    const entries: unknown[] = [];
    const journal = await Journal.open(file, (entry) => entries.push(entry));
    await journal.close();
    return entries;
  }

  it('replays appended entries in order when it is reopened', async () => {
    const journal = await Journal.open<number, number>(path, (entry) => entry * 2);
    const effects = await Promise.all(Array.from({ length: 100 }, (_, index) => journal.append(index)));
    await journal.close();
    assert.deepEqual(effects.slice(0, 3), [0, 2, 4]);
    assert.deepEqual(
      await readEntries(path),
      Array.from({ length: 100 }, (_, index) => index),
    );
  });

  it('applies an entry only after it is in the file', async () => {
    const file = join(directory, 'effects.jsonl');
    const contentAtApply: Promise<string>[] = [];
    const journal = await Journal.open<string, void>(file, () => {
      contentAtApply.push(readFile(file, 'utf8'));
    });
    const appended = journal.append('first');
    assert.equal(contentAtApply.length, 0);
    await appended;
    assert.equal(await contentAtApply[0], '"first"\n');
    await journal.close();
  });

  it('stays within its limit by writing the current state', async () => {
    const file = join(directory, 'compacted.jsonl');
    let sum = 0;
    const add = (entry: number) => {
      sum += entry;
      return sum;
    };
    const compaction = {
      maxBytes: 1000,
      entries: () => [sum],
      onFailure: () => assert.fail('a compaction failed'),
    };
    const journal = await Journal.open<number, number>(file, add, compaction);
    for (let entry = 1; entry <= 500; entry += 1) {
      await journal.append(entry);
      assert.ok((await stat(file)).size <= 1010);
    }
    await journal.close();
    assert.equal(sum, 125_250);
    const entries = await readEntries(file);
    assert.ok(entries.length > 1, 'entries after the last compaction');
    assert.equal(
      entries.map(Number).reduce((a, b) => a + b),
      125_250,
    );
  });

  it('keeps the old file when a compaction fails', async () => {
    const file = join(directory, 'kept.jsonl');
    const failure = new Error('the disk is full');
    function* entries() {
      yield 'one';
      throw failure;
    }
    const onFailure = mock.fn();
    const journal = await Journal.open<string, void>(file, () => {}, { maxBytes: 10, entries, onFailure });
    for (const entry of ['one', 'two', 'three']) await journal.append(entry);
    await journal.close();
    assert.deepEqual(onFailure.mock.calls[0]?.arguments, [failure]);
    await assert.rejects(stat(`${file}.new`), { code: 'ENOENT' });
    assert.deepEqual(await readEntries(file), ['one', 'two', 'three']);
  });

  it('truncates an incomplete last line and appends after the last complete one', async () => {
    const file = join(directory, 'torn.jsonl');
    await writeFile(file, '"one"\n"two"\n{"thr');
    const journal = await Journal.open<string, void>(file, () => {});
    await journal.append('four');
    await journal.close();
    assert.deepEqual(await readEntries(file), ['one', 'two', 'four']);
  });

  it('decodes characters that span two chunks', async () => {
    const file = join(directory, 'long.jsonl');
    const long = 'é'.repeat(800_000);
    await appendFile(file, `${JSON.stringify(`x${long}`)}\n${JSON.stringify(long)}\n`);
    assert.deepEqual(await readEntries(file), [`x${long}`, long]);
  });

  it('rejects a damaged line and names it', async () => {
    const file = join(directory, 'damaged.jsonl');
    await writeFile(file, '"one"\nnonsense\n"three"\n');
    await assert.rejects(readEntries(file), /line 2/);
  });

  /** Returns the prototype of file handles, for mocks. */
  async function fileHandles(): Promise<{
    appendFile(bytes: Uint8Array): Promise<void>;
    write(bytes: Uint8Array): Promise<unknown>;
    datasync(): Promise<void>;
  }> {
    const file = await open(path, 'a+');
    await file.close();
    return Object.getPrototypeOf(file);
  }

  it('rejects entries on a full disk, undoes them, and accepts entries once there is space', async () => {
    const file = join(directory, 'full.jsonl');
    const applied: string[] = [];
    const journal = await Journal.open<string, unknown>(file, (entry) => applied.push(entry));
    await journal.append('one');
    const full = mock.method(
      await fileHandles(),
      'appendFile',
      async function (this: { write(bytes: Uint8Array): Promise<unknown> }, bytes: Uint8Array) {
        await this.write(bytes.subarray(0, bytes.length - 3));
        throw new Error('ENOSPC');
      },
    );
    const refused = await Promise.allSettled([journal.append('two'), journal.append('three')]);
    full.mock.restore();
    assert.deepEqual(
      refused.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await journal.append('four');
    await journal.close();
    assert.deepEqual(applied, ['one', 'four']);
    assert.deepEqual(await readEntries(file), ['one', 'four']);
  });

  it('rejects all entries after a failed sync', async () => {
    const journal = await Journal.open<string, void>(join(directory, 'unsynced.jsonl'), () => {});
    const broken = mock.method(await fileHandles(), 'datasync', async () => {
      throw new Error('EIO');
    });
    const first = journal.append('one');
    await assert.rejects(first);
    broken.mock.restore();
    await assert.rejects(journal.append('two'), /cannot be written/);
    await journal.close();
  });

  it('rejects entries after it is closed', async () => {
    const journal = await Journal.open<string, void>(null, () => {});
    await journal.append('one');
    await journal.close();
    await assert.rejects(journal.append('two'));
  });
});
