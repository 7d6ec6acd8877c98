import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEndlessPdf } from '../documents/make-pdf.ts';
import { startUploadApp } from '../upload-app.ts';

/** Long, because readers run at the lowest priority and other tests use the machine, too. */
const uploadDeadlineMs = 600_000;
const { createTeam, upload } = await startUploadApp({ uploadDeadlineMs, processorMs: 3_000 });

test('stores the documents of other teams while one team uploads 20 exploding ones', async (t) => {
  const [hostile, ...honest] = await Promise.all(Array.from({ length: 4 }, () => createTeam()));
  assert.ok(hostile !== undefined);
  const content = new Uint8Array(makeEndlessPdf());
  let responses = 0;
  const exploding = Array.from({ length: 20 }, async () => {
    const { status, body } = await upload({ teamId: hostile, name: 'a.pdf', content });
    responses += 1;
    return [status, body.details.reason];
  });
  const durations: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    for (const teamId of honest) {
      const startedAt = performance.now();
      const { status, body } = await upload({ teamId, name: `${n}.txt` });
      assert.equal(status, 200, JSON.stringify(body));
      durations.push(Math.round(performance.now() - startedAt));
    }
  }
  t.diagnostic(`honest uploads took ${durations.toSorted((a, b) => a - b).join(', ')} ms`);
  assert.ok(responses < exploding.length, 'the honest uploads did not wait for all hostile ones');
  const [first] = await Promise.all(exploding.slice(0, 1));
  const noTime = [503, 'overloaded']; // other processes had the processors all the time
  assert.deepEqual(first, first?.[0] === 503 ? noTime : [400, 'text_timeout']);
});
