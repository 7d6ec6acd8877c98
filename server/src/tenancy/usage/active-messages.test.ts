import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activeMessageLimit } from './active-messages.ts';

test('returns the quota plus 5%, rounded down', () => {
  const limits = [0, 1, 19, 20, 21, 39, 40, 99, 100, 101, 1000, 10_000].map(activeMessageLimit);
  assert.deepEqual(limits, [0, 1, 19, 21, 22, 40, 42, 103, 105, 106, 1050, 10_500]);
});

test('is exact for every possible quota', () => {
  const inWholeNumbers = (quota: number) => Number((BigInt(quota) * 105n) / 100n);
  for (let quota = 0; quota < 5000; quota++) assert.equal(activeMessageLimit(quota), inWholeNumbers(quota));
  for (const quota of [2_000_000_000, 2_147_483_627, 2_147_483_646, 2_147_483_647]) {
    assert.equal(activeMessageLimit(quota), inWholeNumbers(quota));
  }
});
