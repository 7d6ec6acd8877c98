import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ExtractionError } from './extraction.ts';
import type { DocumentFile } from './extraction-process.ts';
import { createExtractor } from './extractor.ts';

const text = { sections: [], chars: 0 };
const timeout = new ExtractionError('timeout', 'The process ended with SIGXCPU');
const silent = { info: () => {}, warn: () => {} };

interface Reading {
  name: string;
  finish(): Promise<void>;
  timeOut(): Promise<void>;
}

/** Starts an extractor whose readers read until the test ends them. */
function startExtractor(options: { concurrency: number; maxWaitingPerTeam?: number }) {
  const readings: Reading[] = [];
  const end = async (reading: Reading, settle: () => void) => {
    readings.splice(readings.indexOf(reading), 1);
    settle();
    await yieldToEventLoop();
  };
  const extractor = createExtractor({
    ...options,
    memoryMb: 1,
    processorMs: 10_000,
    logger: silent,
    startPool: () => ({
      extract(document) {
        const { promise, resolve, reject } = Promise.withResolvers<typeof text>();
        const reading: Reading = {
          name: Buffer.from(document.bytes).toString(),
          finish: () => end(reading, () => resolve(text)),
          timeOut: () => end(reading, () => reject(timeout)),
        };
        readings.push(reading);
        return promise;
      },
      close: async () => {},
    }),
  });
  after(() => extractor.close());
  const file = (name: string): DocumentFile => ({ type: 'pdf', bytes: Buffer.from(name) });
  return {
    readings,
    async names() {
      await yieldToEventLoop();
      return readings.map(({ name }) => name);
    },
    /** Resolves with the reason of the failure or null. */
    extract: (teamId: string, name = teamId, maxWaitMs = 60_000): Promise<string | null> =>
      extractor.extract(file(name), { teamId, maxWaitMs }).then(
        () => null,
        (error: ExtractionError) => error.reason,
      ),
  };
}

test('reads one document of a team at a time and takes teams in turn', async () => {
  const { extract, names, readings } = startExtractor({ concurrency: 2 });
  const hostile = Array.from({ length: 20 }, (_, n) => extract('hostile', `hostile ${n}`));
  const honest = [extract('b'), extract('c'), extract('b', 'b again')];
  assert.deepEqual(await names(), ['hostile 0', 'b']);
  await readings[1]?.finish();
  assert.deepEqual(await names(), ['hostile 0', 'c']);
  await readings[1]?.finish();
  assert.deepEqual(await names(), ['hostile 0', 'b again']);
  await readings[1]?.finish();
  assert.deepEqual(await Promise.all(honest), [null, null, null]);
  await readings[0]?.timeOut();
  assert.deepEqual(await names(), ['hostile 1']);
  assert.equal(await hostile[0], 'timeout');
});

test('rejects only the documents of the team whose queue is full', async () => {
  const { extract, names } = startExtractor({ concurrency: 2, maxWaitingPerTeam: 2 });
  void extract('a', 'a 0');
  void extract('a', 'a 1');
  void extract('a', 'a 2');
  assert.equal(await extract('a', 'a 3'), 'overloaded');
  void extract('b');
  assert.deepEqual(await names(), ['a 0', 'b']);
});

test('keeps a reader for the others when several teams waste time', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { extract, names, readings } = startExtractor({ concurrency: 2 });
  for (const team of ['x', 'y']) {
    const reading = extract(team);
    assert.deepEqual(await names(), [team]);
    now += 10_000;
    await readings[0]?.timeOut();
    assert.equal(await reading, 'timeout');
  }
  void extract('x');
  void extract('y');
  assert.deepEqual(await names(), ['x']);
  void extract('honest');
  assert.deepEqual(await names(), ['x', 'honest']);
  await readings[1]?.finish();
  assert.deepEqual(await names(), ['x']);
  await readings[0]?.finish();
  assert.deepEqual(await names(), ['y']);
});

test('makes a team wait longer with every document that wastes time', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { extract, names, readings } = startExtractor({ concurrency: 2 });
  const waits: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    const before = now;
    // A document that waits too long is refused at once.
    while ((await Promise.race([extract('hostile', 'endless', 0), yieldToEventLoop()])) === 'overloaded')
      now += 1_000;
    assert.deepEqual(await names(), ['endless']);
    waits.push(now - before);
    now += 10_000;
    await readings[0]?.timeOut();
  }
  assert.deepEqual(waits, [0, 0, 9_000, 18_000]);
  void extract('honest', 'honest', 0);
  assert.deepEqual(await names(), ['honest']);
});

test('starts a waiting document of a team when its delay ends', async () => {
  const { extract, names, readings } = startExtractor({ concurrency: 2 });
  for (const _ of ['first', 'second']) {
    const reading = extract('a');
    assert.deepEqual(await names(), ['a']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await readings[0]?.timeOut();
    assert.equal(await reading, 'timeout');
  }
  const third = extract('a', 'third');
  assert.deepEqual(await names(), []);
  while (readings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await readings[0]?.finish();
  assert.equal(await third, null);
});
