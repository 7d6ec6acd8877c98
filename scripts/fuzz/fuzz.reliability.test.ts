import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runFuzz } from './run-fuzz.ts';
import { startFuzzedService } from './service.ts';
import { runStorm } from './storm.ts';

const service = await startFuzzedService();
after(() => service.close());

test('responds to valid and mutated requests as the OpenAPI document says', async () => {
  const { failures, gaps, table } = await runFuzz(service, {
    seed: 7,
    requests: (operations) => 15 * operations,
  });
  assert.deepEqual(failures, [], table);
  assert.deepEqual(gaps, [], table);
});

test('never fails under concurrent requests for the same objects', async () => {
  assert.deepEqual(await runStorm(service, { seed: 7, requests: 500, workers: 12 }), []);
});
