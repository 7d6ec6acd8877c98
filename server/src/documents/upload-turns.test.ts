import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUploadTurns } from './upload-turns.ts';

test('so many run, so many wait in order, the next is told to come back', async () => {
  const takeTurn = createUploadTurns({ atOnce: 2, waiting: 2 });
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const uploads = gates.map((gate, index) =>
    takeTurn(async () => {
      begun.push(index);
      await gate.promise;
    }),
  );
  await assert.rejects(
    takeTurn(async () => undefined),
    { status: 503, details: { reason: 'overloaded' } },
  );
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.reject(new Error('failed'));
  await assert.rejects(async () => uploads[1], { message: 'failed' });
  assert.deepEqual(begun, [0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.allSettled(uploads);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  assert.equal(await takeTurn(async () => 'again'), 'again');
});
