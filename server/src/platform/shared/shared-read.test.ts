import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedRead } from './shared-read.ts';

test('returns one result to concurrent and later callers', async () => {
  let reads = 0;
  const read = createSharedRead(async () => (reads += 1), { maxAgeMs: 60_000 });
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1]);
  assert.equal(await read(), 1);
});

test('reads again when the result is too old, and after a failure', async () => {
  let reads = 0;
  const read = createSharedRead(
    async () => {
      reads += 1;
      if (reads === 2) throw new Error('unavailable');
      return reads;
    },
    { maxAgeMs: 0 },
  );
  assert.equal(await read(), 1);
  await assert.rejects(read, /unavailable/);
  assert.equal(await read(), 3);
});
