import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLoader } from './loader.ts';

/** Doubles what it is asked for; remembers what it was asked for together. */
function doubling() {
  const batches: (readonly number[])[] = [];
  const double = createLoader(async (asked: readonly number[]) => {
    batches.push(asked);
    return asked.map((number) => 2 * number);
  });
  return { double, batches };
}

test('what is asked for in one turn is read as one, and each is told its own', async () => {
  const { double, batches } = doubling();
  const asked = [3, 1, 3, 2];
  const askAfter = async (hops: number, number: number) => {
    for (let hop = 0; hop < hops; hop += 1) await new Promise<void>(process.nextTick);
    return double(number);
  };
  // As requests ask that came together: each when all that the one before it led to is done.
  const found = await Promise.all(asked.map((number, n) => askAfter(10 * n, number)));
  assert.deepEqual(found, [6, 2, 6, 4]);
  assert.deepEqual(batches, [asked]);
});

test('what is asked for again is read again', async () => {
  const { double, batches } = doubling();
  await double(1);
  await double(1);
  assert.deepEqual(batches, [[1], [1]]);
});

test('a hundred at most are read together', async () => {
  const { double, batches } = doubling();
  const asked = Array.from({ length: 201 }, (_, number) => number);
  assert.deepEqual(
    await Promise.all(asked.map(double)),
    asked.map((number) => 2 * number),
  );
  assert.deepEqual(
    batches.map(({ length }) => length),
    [100, 100, 1],
  );
});

test('a read that fails is told to all who asked, and the next one is tried', async () => {
  let isAway = true;
  const double = createLoader(async (asked: readonly number[]) => {
    if (isAway) throw new Error('away');
    return asked.map((number) => 2 * number);
  });
  const outcomes = await Promise.allSettled([double(1), double(2)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isAway = false;
  assert.equal(await double(2), 4);
});
