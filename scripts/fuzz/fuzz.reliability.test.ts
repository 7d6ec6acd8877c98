import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runFuzz } from './run.ts';
import { startFuzzedService } from './service.ts';
import { runStorm } from './storm.ts';

const service = await startFuzzedService();
after(() => service.close());

test('generated requests, valid and hostile, are answered as the OpenAPI document says', async () => {
  const { faults, gaps, table } = await runFuzz(service, {
    seed: 7,
    requests: (operations) => 15 * operations,
  });
  assert.deepEqual(faults, [], table);
  assert.deepEqual(gaps, [], table);
});

test('requests that cross one another find objects or do not, and never fail', async () => {
  assert.deepEqual(await runStorm(service, { seed: 7, requests: 500, lanes: 12 }), []);
});
