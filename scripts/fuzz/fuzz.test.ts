import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFuzz } from './run.ts';
import { startFuzzedService } from './service.ts';

test('generated requests, valid and hostile, are answered as the OpenAPI document says', async () => {
  const service = await startFuzzedService();
  try {
    const { faults, gaps, table } = await runFuzz(service, {
      seed: 7,
      requests: (operations) => 15 * operations,
    });
    assert.deepEqual(faults, [], table);
    assert.deepEqual(gaps, [], table);
  } finally {
    await service.close();
  }
});
