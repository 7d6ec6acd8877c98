import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { createIsolatingBatch } from './isolating-batch.ts';

/** Doubles numbers: together but for those that are `left`, unless `together` fails; on its own but for negative ones. */
function startDoubling({ left = [], failure = null }: { left?: number[]; failure?: Error | null } = {}) {
  const done = { together: [] as number[], alone: [] as number[] };
  const lines: unknown[] = [];
  const double = createIsolatingBatch<number, number>({
    waitMs: 1,
    maxItems: 100,
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

test('what comes together is done together, and on its own what was left out, of which nothing is said', async () => {
  const { double, done, lines } = startDoubling({ left: [2] });
  assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
  assert.deepEqual(done, { together: [1, 3], alone: [2] });
  assert.deepEqual(lines, []);
});

test('a batch that fails is told in one line, with why and how many there were; each is then tried on its own', async () => {
  const failure = new Error('away');
  const { double, done, lines } = startDoubling({ failure });
  const items = Array.from({ length: 100 }, (_, n) => n);
  assert.deepEqual(
    await Promise.all(items.map(double)),
    items.map((item) => item * 2),
  );
  assert.deepEqual(done, { together: [], alone: items });
  assert.deepEqual(lines, [
    [{ err: failure, items: 100 }, 'numbers could not be doubled together; each is tried on its own'],
  ]);
});

test('what fails on its own as well fails by its own reason, and alone', async () => {
  const { double } = startDoubling({ failure: new Error('one of them is negative') });
  const results = await Promise.allSettled([1, -1].map(double));
  assert.deepEqual(results, [
    { status: 'fulfilled', value: 2 },
    { status: 'rejected', reason: new RangeError('-1') },
  ]);
});

test('a batch without an end keeps neither its own items waiting nor those that come later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let batches = 0;
  const lines: unknown[] = [];
  const echo = createIsolatingBatch<number, string>({
    waitMs: 1,
    maxItems: 100,
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
  await othersTurn();
  assert.deepEqual(await Promise.all([first, second]), ['1 alone', '2 together']);
  assert.equal(lines.length, 1);
});
