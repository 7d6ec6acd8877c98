import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { createBatch } from './batch.ts';

test('runs items that arrive together in one call, each with its own result', async () => {
  const batches: number[][] = [];
  const batch = createBatch<number, number>({
    waitMs: 1,
    maxItems: 3,
    run: async (items) => {
      batches.push(items);
      return items.map((item) => item * 2);
    },
  });
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map((item) => batch.add(item))), [2, 4, 6, 8]);
  assert.deepEqual(batches, [[1, 2, 3], [4]]);
});

test('rejects every item of a failed batch and no later one', async () => {
  let failing = true;
  const batch = createBatch<number, number>({
    waitMs: 1,
    maxItems: 10,
    run: async (items) => {
      if (failing) throw new Error('away');
      return items;
    },
  });
  const results = await Promise.allSettled([batch.add(1), batch.add(2)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  failing = false;
  assert.equal(await batch.add(3), 3);
});

test('collects items that arrive during a call for the next one', async () => {
  const batches: number[][] = [];
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const batch = createBatch<number, number>({
    waitMs: 0,
    maxItems: 10,
    run: async (items) => {
      batches.push(items);
      begun.resolve();
      await held;
      return items;
    },
  });
  const first = batch.add(1);
  await begun.promise;
  const later = [2, 3].map((item) => batch.add(item));
  assert.deepEqual(batches, [[1]]);
  letGo();
  assert.deepEqual(await Promise.all([first, ...later]), [1, 2, 3]);
  assert.deepEqual(batches, [[1], [2, 3]]);
});

test('collects items during the pause after each call', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const batches: number[][] = [];
  const batch = createBatch<number, number>({
    waitMs: 1,
    pauseMs: 10,
    maxItems: 10,
    run: async (items) => {
      batches.push(items);
      return items;
    },
  });
  const first = batch.add(1);
  t.mock.timers.tick(1);
  await first;
  await othersTurn();
  const later = [batch.add(2)];
  t.mock.timers.tick(9);
  await othersTurn();
  later.push(batch.add(3));
  t.mock.timers.tick(1);
  await Promise.all(later);
  assert.deepEqual(batches, [[1], [2, 3]]);
});

test('fails the items of a hanging call without delaying later ones', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let calls = 0;
  const batch = createBatch<number, number>({
    waitMs: 1,
    maxItems: 10,
    run: async (items) => {
      calls += 1;
      return calls === 1 ? new Promise<never>(() => {}) : items;
    },
  });
  const results = Promise.allSettled([batch.add(1)]);
  t.mock.timers.tick(1);
  const second = batch.add(2);
  t.mock.timers.tick(20_000);
  await othersTurn();
  assert.equal(await second, 2);
  assert.equal((await results)[0].status, 'rejected');
});
