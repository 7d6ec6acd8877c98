import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SendPostponed } from '../messaging-network.ts';
import { GraphRefusal } from './graph-client.ts';
import { createSendLimits, type SendLimits } from './send-limits.ts';

const perSecond = 20;

/** Sends at the given pauses. Returns when each message was taken, in milliseconds. */
function takeAt(steps: readonly { pauseMs: number; contact: string }[]) {
  let now = 0;
  const { take } = createSendLimits({ perSecond, account: { until: 0 }, now: () => now });
  const taken: { at: number; contact: string }[] = [];
  for (const { pauseMs, contact } of steps) {
    now += pauseMs;
    try {
      take(contact);
      taken.push({ at: now, contact });
    } catch (error) {
      assert.ok(error instanceof SendPostponed && error.seconds > 0 && error.seconds <= 6);
      // After the time that the refusal names, the message is taken.
      now += Math.ceil(error.seconds * 1000);
      take(contact);
      taken.push({ at: now, contact });
    }
  }
  return taken;
}

const steps = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 0, max: 200 }),
    contact: fc.constantFrom('+1', '+2', 'bsuid:US.3'),
  }),
  { minLength: 1, maxLength: 200 },
);

/** In each stretch from one message to a later one, no more than the burst and the rate of its time. */
const exceeds = (times: readonly number[], burst: number, rate: number): boolean =>
  times.some((from, first) =>
    times.slice(first).some((at, index) => index + 1 > burst + ((at - from) / 1000) * rate + 1e-6),
  );

test('no stretch of time has more messages of a number than the network takes', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const taken = takeAt(given);
      assert.equal(taken.length, given.length);
      assert.ok(
        !exceeds(
          taken.map(({ at }) => at),
          perSecond,
          perSecond,
        ),
      );
      for (const contact of ['+1', '+2', 'bsuid:US.3']) {
        const times = taken.filter((each) => each.contact === contact).map(({ at }) => at);
        assert.ok(!exceeds(times, 45, 1 / 6));
      }
    }),
  );
});

test('numbers that the network throttles send nothing until the time that it names', () => {
  let now = 0;
  const account = { until: 0 };
  const open = () => createSendLimits({ perSecond, account, now: () => now });
  const [first, second] = [open(), open()];
  const waits = (limits: SendLimits) => {
    try {
      limits.take('+1');
      return 0;
    } catch (error) {
      assert.ok(error instanceof SendPostponed);
      return error.seconds;
    }
  };
  const refuse = (code: number, more: { retryAfterSeconds?: number } = {}) =>
    first.learn(new GraphRefusal(400, code, 'too many', more));
  refuse(131056);
  refuse(131026);
  first.learn(new Error('no response'));
  assert.deepEqual([waits(first), waits(second)], [0, 0]);
  refuse(130429, { retryAfterSeconds: 30 });
  assert.deepEqual([waits(first), waits(second)], [30, 0]);
  now += 30_000;
  assert.equal(waits(first), 0);
  refuse(80007);
  assert.deepEqual([waits(first), waits(second)], [10, 10]);
  refuse(80007, { retryAfterSeconds: 86_400 });
  now += 299_000;
  assert.deepEqual([waits(first), waits(second)], [1, 1]);
  now += 1_000;
  assert.deepEqual([waits(first), waits(second)], [0, 0]);
});
