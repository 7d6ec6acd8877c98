import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createIsolatingBatch } from './isolating-batch.ts';

/** Doubles numbers. The batch skips those in `left` or fails with `failure`; a negative number fails individually. */
function startDoubling({ left = [], failure = null }: { left?: number[]; failure?: Error | null } = {}) {
  const done = { together: [] as number[], alone: [] as number[] };
  const lines: unknown[] = [];
  const double = createIsolatingBatch<number, number>({
    waitMs: 1,
    maxItems: 100,
    groupOf: (item) => String(item),
    runBatch: async (items) => {
      if (failure !== null) throw failure;
      done.together.push(...items.filter((item) => !left.includes(item)));
      return items.map((item) => (left.includes(item) ? null : item * 2));
    },
    runOne: async (item) => {
      done.alone.push(item);
      if (item < 0) throw new RangeError(`${item}`);
      return item * 2;
    },
    logger: { warn: (given: unknown, words?: unknown) => void lines.push([given, words]) },
    failure: 'numbers could not be doubled together',
  });
  return { double, done, lines };
}

test('batches items that arrive together, and retries skipped ones individually without a log entry', async () => {
  const { double, done, lines } = startDoubling({ left: [2] });
  assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
  assert.deepEqual(done, { together: [1, 3], alone: [2] });
  assert.deepEqual(lines, []);
});

test('logs a failed batch once with its reason and size, and retries each item individually', async () => {
  const failure = new Error('away');
  const { double, done, lines } = startDoubling({ failure });
  const items = Array.from({ length: 100 }, (_, n) => n);
  assert.deepEqual(
    await Promise.all(items.map(double)),
    items.map((item) => item * 2),
  );
  assert.deepEqual(done, { together: [], alone: items });
  assert.deepEqual(lines, [
    [{ err: failure, items: 100 }, 'numbers could not be doubled together; retrying each individually'],
  ]);
});

test('rejects an item that also fails individually with its own error', async () => {
  const { double } = startDoubling({ failure: new Error('one of them is negative') });
  const results = await Promise.allSettled([1, -1].map(double));
  assert.deepEqual(results, [
    { status: 'fulfilled', value: 2 },
    { status: 'rejected', reason: new RangeError('-1') },
  ]);
});

test('retries a locked item while its group bypasses the batch, and other groups do not', async () => {
  const locked = new Set([10]);
  const done = { together: [] as number[], alone: [] as number[] };
  const write = createIsolatingBatch<number, string>({
    waitMs: 1,
    maxItems: 100,
    groupOf: (item) => (item < 20 ? 'locked' : 'other'),
    runBatch: async (items) => {
      done.together.push(...items);
      return items.map((item) => (locked.has(item) ? null : 'written'));
    },
    runOne: async (item) => {
      done.alone.push(item);
      return locked.has(item) ? null : 'written';
    },
    logger: { warn: () => assert.fail('nothing failed') },
    failure: 'numbers could not be written together',
  });
  const first = write(10);
  while (done.alone.length === 0) await nextTurn();
  assert.deepEqual(await Promise.all([write(11), write(20)]), ['written', 'written']);
  assert.deepEqual(done.together, [10, 20]);
  locked.clear();
  assert.equal(await first, 'written');
  assert.equal(await write(12), 'written');
  assert.deepEqual(done.together, [10, 20, 12]);
});

test('does not let a hanging batch delay its own or later items', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let batches = 0;
  const lines: unknown[] = [];
  const echo = createIsolatingBatch<number, string>({
    waitMs: 1,
    maxItems: 100,
    groupOf: (item) => String(item),
    runBatch: async (items) => {
      batches += 1;
      return batches === 1 ? new Promise<never>(() => {}) : items.map((item) => `${item} together`);
    },
    runOne: async (item) => `${item} alone`,
    logger: { warn: (...line: unknown[]) => void lines.push(line) },
    failure: 'numbers could not be echoed together',
  });
  const first = echo(1);
  t.mock.timers.tick(1);
  const second = echo(2);
  t.mock.timers.tick(15_000);
  await nextTurn();
  assert.deepEqual(await Promise.all([first, second]), ['1 alone', '2 together']);
  assert.equal(lines.length, 1);
});
