import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createConnectThrottle } from './connect-throttle.ts';

const unpaced = { atOnce: 2, burst: 100, group: 100, everyMs: 40 };
const paced = { atOnce: 100, burst: 3, group: 2, everyMs: 40 };

const clockOf = ({ mock }: TestContext) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  return mock.timers;
};

/** Enters as many, and answers the numbers of those that have begun, and each one's turn. */
function enter(openings: ReturnType<typeof createConnectThrottle>, numbers: readonly number[]) {
  const begun: number[] = [];
  const turns = numbers.map((number) => openings.request(() => begun.push(number), 'in turn'));
  return { begun, turns };
}

test('so many are open at once, the others in their order as one leaves; who waits may leave as well', async () => {
  const { begun, turns } = enter(createConnectThrottle(unpaced), [0, 1, 2, 3, 4]);
  assert.deepEqual(begun, [], 'never before it returns');
  await setImmediate();
  assert.deepEqual(begun, [0, 1]);
  turns[2]?.release();
  turns[0]?.release();
  turns[0]?.release();
  assert.deepEqual(begun, [0, 1, 3], 'leaving twice frees one place');
  turns[1]?.release();
  assert.deepEqual(begun, [0, 1, 3, 4]);
});

test('after the first ones they come in groups, one a pause, and at once again after a quiet time', async (t) => {
  const clock = clockOf(t);
  const openings = createConnectThrottle(paced);
  const { begun, turns } = enter(openings, [0, 1, 2, 3, 4, 5, 6]);
  await setImmediate();
  assert.deepEqual(begun, [0, 1, 2]);
  turns[0]?.release();
  assert.equal(begun.length, 3, 'a place alone begins nothing');
  clock.tick(40);
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  clock.tick(40);
  assert.equal(begun.length, 7);
  clock.tick(40);
  clock.tick(40);
  const later = enter(openings, [7, 8, 9, 10]);
  await setImmediate();
  assert.deepEqual(later.begun, [7, 8, 9]);
});

test('those that somebody waits for come first, whether they said so in the beginning or while waiting', async (t) => {
  const clock = clockOf(t);
  const openings = createConnectThrottle(paced);
  const { begun, turns } = enter(openings, [0, 1, 2, 3, 4, 5]);
  await setImmediate();
  turns[0]?.prioritize();
  turns[5]?.prioritize();
  openings.request(() => begun.push(6), 'soon');
  await setImmediate();
  clock.tick(40);
  assert.deepEqual(begun, [0, 1, 2, 5, 6]);
  turns[5]?.prioritize();
  clock.tick(40);
  assert.deepEqual(begun, [0, 1, 2, 5, 6, 3, 4], 'one that has begun does not begin again');
});
