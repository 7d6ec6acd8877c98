import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFreshReads } from './fresh-reads.ts';

test('reads a key once for all callers, and returns its value without a promise afterwards', async () => {
  let reads = 0;
  const values = createFreshReads(async (key: string) => `${key}${++reads}`, {
    maxAgeMs: 60_000,
    capacity: 10,
  });
  assert.deepEqual(await Promise.all([values.get('a'), values.get('a'), values.get('b')]), [
    'a1',
    'a1',
    'b2',
  ]);
  assert.equal(values.get('a'), 'a1');
  values.delete('a');
  assert.equal(await values.get('a'), 'a3');
  values.clear();
  assert.equal(await values.get('b'), 'b4');
});

test('keeps neither a failed read nor one that began before a change', async () => {
  const { promise: first, resolve } = Promise.withResolvers<string>();
  const results = [first, Promise.reject(new Error('away')), Promise.resolve('new')];
  const values = createFreshReads(async (_key: string) => results.shift(), {
    maxAgeMs: 60_000,
    capacity: 10,
  });
  const old = values.get('a');
  values.delete('a');
  await assert.rejects(async () => values.get('a'), /away/);
  resolve('old');
  assert.equal(await old, 'old');
  assert.equal(await values.get('a'), 'new');
  assert.equal(values.get('a'), 'new');
});

test('reads again when a value is too old', async () => {
  let reads = 0;
  const values = createFreshReads(async () => ++reads, { maxAgeMs: 0, capacity: 10 });
  assert.deepEqual([await values.get('a'), await values.get('a')], [1, 2]);
});
