import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUploadLimiter } from './upload-limiter.ts';

/** Starts uploads that run until their gates open, and records which have begun. Default: one caller for each. */
function gated(
  limit: ReturnType<typeof createUploadLimiter>,
  sizes: readonly number[],
  callers: readonly string[] = [],
) {
  const gates = sizes.map(() => Promise.withResolvers<void>());
  const begun: number[] = [];
  const uploads = gates.map((gate, index) =>
    limit(sizes[index] ?? 0, callers[index] ?? `caller ${index}`, async () => {
      begun.push(index);
      await gate.promise;
    }),
  );
  return { gates, begun, uploads };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test('limits the bytes that run together, queues the rest in order, and rejects when the queue is full', async () => {
  const limit = createUploadLimiter({ maxRunning: 3, maxBytes: 20, maxWaiting: 2 });
  const { gates, begun, uploads } = gated(limit, [10, 10, 10, 10]);
  await assert.rejects(
    limit(1, 'a', async () => undefined),
    { status: 503, details: { reason: 'overloaded' } },
  );
  await nextTick();
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.reject(new Error('failed'));
  await assert.rejects(async () => uploads[1], { message: 'failed' });
  await nextTick();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.allSettled(uploads);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  assert.equal(await limit(20, 'a', async () => 'again'), 'again');
});

test('runs small uploads together and lets none overtake a waiting large one', async () => {
  const limit = createUploadLimiter({ maxRunning: 3, maxBytes: 20, maxWaiting: 10 });
  const { gates, begun, uploads } = gated(limit, [5, 5, 1, 15, 5]);
  await nextTick();
  assert.deepEqual(begun, [0, 1, 2], 'the last waits behind the large one');
  gates[0]?.resolve();
  gates[1]?.resolve();
  await Promise.all([uploads[0], uploads[1]]);
  await nextTick();
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const gate of gates) gate.resolve();
  await Promise.all(uploads);
});

test('never runs more than the maximum, however small they are', async () => {
  const limit = createUploadLimiter({ maxRunning: 3, maxBytes: 20, maxWaiting: 10 });
  const { gates, begun, uploads } = gated(limit, [1, 1, 1, 1]);
  await nextTick();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all(uploads);
});

test('rejects an upload that waited too long, and starts the next', async () => {
  const limit = createUploadLimiter({ maxRunning: 3, maxBytes: 20, maxWaiting: 10, maxWaitMs: 50 });
  const { gates, begun, uploads } = gated(limit, [10, 20]);
  await nextTick();
  await assert.rejects(async () => uploads[1], { status: 503, details: { reason: 'overloaded' } });
  assert.deepEqual(begun, [0]);
  assert.equal(await limit(10, 'a', async () => 'next'), 'next');
  gates[0]?.resolve();
  await uploads[0];
});

test('runs an upload alone that is larger than the limit', async () => {
  const limit = createUploadLimiter({ maxRunning: 3, maxBytes: 20, maxWaiting: 10 });
  const { gates, begun, uploads } = gated(limit, [100, 1]);
  await nextTick();
  assert.deepEqual(begun, [0]);
  for (const gate of gates) gate.resolve();
  await Promise.all(uploads);
});

test('leaves half of the memory to other callers and lets callers take turns', async () => {
  const limit = createUploadLimiter({ maxRunning: 8, maxBytes: 40, maxWaiting: 10 });
  const { gates, begun, uploads } = gated(limit, [10, 10, 10, 5, 10, 5], ['a', 'a', 'a', 'a', 'b', 'a']);
  await nextTick();
  assert.deepEqual(begun, [0, 1, 4]);
  const others = gated(limit, [5, 10], ['b', 'c']);
  await nextTick();
  assert.deepEqual(others.begun, [0]);
  gates[0]?.resolve();
  await nextTick();
  assert.deepEqual(
    [begun, others.begun],
    [
      [0, 1, 4],
      [0, 1],
    ],
  );
  gates[1]?.resolve();
  await nextTick();
  assert.deepEqual(begun, [0, 1, 4, 2, 3]);
  for (const gate of [...gates, ...others.gates]) gate.resolve();
  await Promise.all([...uploads, ...others.uploads]);
});
