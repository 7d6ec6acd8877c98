import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUploadLimiter } from './upload-limiter.ts';

/** Uploads that run until their gates open, and what of them has begun. */
function gated(takeTurn: ReturnType<typeof createUploadLimiter>, sizes: readonly number[]) {
  const gates = sizes.map(() => Promise.withResolvers<void>());
  const begun: number[] = [];
  const uploads = gates.map((gate, index) =>
    takeTurn(sizes[index] ?? 0, async () => {
      begun.push(index);
      await gate.promise;
    }),
  );
  return { gates, begun, uploads };
}

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

test('so much runs, so many wait in order, the next is told to come back', async () => {
  const takeTurn = createUploadLimiter({ atOnce: 3, bytes: 20, waiting: 2 });
  const { gates, begun, uploads } = gated(takeTurn, [10, 10, 10, 10]);
  await assert.rejects(
    takeTurn(1, async () => undefined),
    { status: 503, details: { reason: 'overloaded' } },
  );
  await turnOfLoop();
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.reject(new Error('failed'));
  await assert.rejects(async () => uploads[1], { message: 'failed' });
  await turnOfLoop();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.allSettled(uploads);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  assert.equal(await takeTurn(20, async () => 'again'), 'again');
});

test('many small ones run at once, and a large one is not overtaken for ever', async () => {
  const takeTurn = createUploadLimiter({ atOnce: 3, bytes: 20, waiting: 10 });
  const { gates, begun, uploads } = gated(takeTurn, [5, 5, 1, 15, 5]);
  await turnOfLoop();
  assert.deepEqual(begun, [0, 1, 2], 'the last waits behind the large one');
  gates[0]?.resolve();
  gates[1]?.resolve();
  await Promise.all([uploads[0], uploads[1]]);
  await turnOfLoop();
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const gate of gates) gate.resolve();
  await Promise.all(uploads);
});

test('never more than so many run, however small', async () => {
  const takeTurn = createUploadLimiter({ atOnce: 3, bytes: 20, waiting: 10 });
  const { gates, begun, uploads } = gated(takeTurn, [1, 1, 1, 1]);
  await turnOfLoop();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all(uploads);
});

test('one that has waited long enough is told to come back, and those behind it move up', async () => {
  const takeTurn = createUploadLimiter({ atOnce: 3, bytes: 20, waiting: 10, waitMs: 50 });
  const { gates, begun, uploads } = gated(takeTurn, [10, 20]);
  await turnOfLoop();
  await assert.rejects(async () => uploads[1], { status: 503, details: { reason: 'overloaded' } });
  assert.deepEqual(begun, [0]);
  assert.equal(await takeTurn(10, async () => 'moved up'), 'moved up');
  gates[0]?.resolve();
  await uploads[0];
});

test('one that is larger than all the room runs alone', async () => {
  const takeTurn = createUploadLimiter({ atOnce: 3, bytes: 20, waiting: 10 });
  const { gates, begun, uploads } = gated(takeTurn, [100, 1]);
  await turnOfLoop();
  assert.deepEqual(begun, [0]);
  for (const gate of gates) gate.resolve();
  await Promise.all(uploads);
});
