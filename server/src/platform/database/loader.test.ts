import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLoader } from './loader.ts';

/** Creates a loader that doubles numbers, and records its batches. */
function createDoublingLoader() {
  const batches: (readonly number[])[] = [];
  const double = createLoader(async (keys: readonly number[]) => {
    batches.push(keys);
    return keys.map((number) => 2 * number);
  });
  return { double, batches };
}

test('batches the lookups of one turn and returns each its own result', async () => {
  const { double, batches } = createDoublingLoader();
  const keys = [3, 1, 3, 2];
  const loadAfter = async (hops: number, number: number) => {
    for (let hop = 0; hop < hops; hop += 1) await new Promise<void>(process.nextTick);
    return double(number);
  };
  // Requests that arrive together call it one after another within a turn.
  const results = await Promise.all(keys.map((number, n) => loadAfter(10 * n, number)));
  assert.deepEqual(results, [6, 2, 6, 4]);
  assert.deepEqual(batches, [keys]);
});

test('does not cache results', async () => {
  const { double, batches } = createDoublingLoader();
  await double(1);
  await double(1);
  assert.deepEqual(batches, [[1], [1]]);
});

test('reads at most 100 lookups together', async () => {
  const { double, batches } = createDoublingLoader();
  const keys = Array.from({ length: 201 }, (_, number) => number);
  assert.deepEqual(
    await Promise.all(keys.map(double)),
    keys.map((number) => 2 * number),
  );
  assert.deepEqual(
    batches.map(({ length }) => length),
    [100, 100, 1],
  );
});

test('a failed read rejects all its lookups but not later ones', async () => {
  let isDown = true;
  const double = createLoader(async (keys: readonly number[]) => {
    if (isDown) throw new Error('down');
    return keys.map((number) => 2 * number);
  });
  const outcomes = await Promise.allSettled([double(1), double(2)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isDown = false;
  assert.equal(await double(2), 4);
});
