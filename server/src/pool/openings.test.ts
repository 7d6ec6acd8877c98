import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createOpenings } from './openings.ts';

test('so many are open at once, the others in their order as one leaves; who waits may leave as well', async () => {
  const openings = createOpenings(2);
  const begun: number[] = [];
  const leave = [0, 1, 2, 3, 4].map((number) => openings.enter(() => begun.push(number)));
  assert.deepEqual(begun, [], 'never before it returns');
  await setImmediate();
  assert.deepEqual(begun, [0, 1]);
  leave[2]?.();
  leave[0]?.();
  leave[0]?.();
  assert.deepEqual(begun, [0, 1, 3], 'leaving twice frees one place');
  leave[1]?.();
  assert.deepEqual(begun, [0, 1, 3, 4]);
});
