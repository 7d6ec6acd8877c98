import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getRetry } from './retry.ts';

test('retry delays grow to ten minutes, have jitter and respect the provider', () => {
  const least = () => 0;
  const most = () => 1;
  assert.deepEqual(getRetry(1, null, least), { seconds: 1, flag: null });
  assert.deepEqual(getRetry(1, null, most), { seconds: 2, flag: null });
  assert.deepEqual(getRetry(5, null, most), { seconds: 32, flag: 'provider_failed' });
  assert.equal(getRetry(30, null, most)?.seconds, 600);
  assert.equal(getRetry(1, 30, most)?.seconds, 30);
  assert.equal(getRetry(1, 1e9, most)?.seconds, 600);
  assert.equal(getRetry(40, null), null);
});
