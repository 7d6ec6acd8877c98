import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createConnectThrottle } from './connect-throttle.ts';

const unpaced = { maxOpening: 2, burst: 100, batchSize: 100, everyMs: 40 };
const paced = { maxOpening: 100, burst: 3, batchSize: 2, everyMs: 40 };

const mockClock = ({ mock }: TestContext) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  return mock.timers;
};

/** Requests a slot for each number. Returns the opened numbers and all slots. */
function request(throttle: ReturnType<typeof createConnectThrottle>, numbers: readonly number[]) {
  const opened: number[] = [];
  const slots = numbers.map((number) => throttle.request(() => opened.push(number), 'normal'));
  return { opened, slots };
}

test('opens up to the limit, then one for each released slot, in order; withdraws waiting requests', async () => {
  const { opened, slots } = request(createConnectThrottle(unpaced), [0, 1, 2, 3, 4]);
  assert.deepEqual(opened, [], 'nothing opens before request returns');
  await setImmediate();
  assert.deepEqual(opened, [0, 1]);
  slots[2]?.release();
  slots[0]?.release();
  slots[0]?.release();
  assert.deepEqual(opened, [0, 1, 3], 'releasing twice frees one slot');
  slots[1]?.release();
  assert.deepEqual(opened, [0, 1, 3, 4]);
});

test('opens a burst, then one batch per pause, and a burst again after an idle time', async (t) => {
  const clock = mockClock(t);
  const throttle = createConnectThrottle(paced);
  const { opened, slots } = request(throttle, [0, 1, 2, 3, 4, 5, 6]);
  await setImmediate();
  assert.deepEqual(opened, [0, 1, 2]);
  slots[0]?.release();
  assert.equal(opened.length, 3, 'a free slot alone opens nothing during a pause');
  clock.tick(40);
  assert.deepEqual(opened, [0, 1, 2, 3, 4]);
  clock.tick(40);
  assert.equal(opened.length, 7);
  clock.tick(40);
  clock.tick(40);
  const later = request(throttle, [7, 8, 9, 10]);
  await setImmediate();
  assert.deepEqual(later.opened, [7, 8, 9]);
});

test('opens high-priority requests first, including those prioritized while waiting', async (t) => {
  const clock = mockClock(t);
  const throttle = createConnectThrottle(paced);
  const { opened, slots } = request(throttle, [0, 1, 2, 3, 4, 5]);
  await setImmediate();
  slots[0]?.prioritize();
  slots[5]?.prioritize();
  throttle.request(() => opened.push(6), 'high');
  await setImmediate();
  clock.tick(40);
  assert.deepEqual(opened, [0, 1, 2, 5, 6]);
  slots[5]?.prioritize();
  clock.tick(40);
  assert.deepEqual(opened, [0, 1, 2, 5, 6, 3, 4], 'an opened session does not open again');
});
