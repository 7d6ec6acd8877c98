import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeChecksum, newKeyId, newKeySecret } from './api-keys.ts';

test('generates unique key ids: pk_ and 20 base-62 characters', () => {
  const ids = Array.from({ length: 100 }, newKeyId);
  for (const id of ids) assert.match(id, /^pk_[0-9A-Za-z]{20}$/);
  assert.equal(new Set(ids).size, 100);
});

test('generates secrets: sk_, 43 base-62 characters and their checksum', () => {
  const secrets = Array.from({ length: 100 }, newKeySecret);
  for (const secret of secrets) {
    assert.match(secret, /^sk_[0-9A-Za-z]{49}$/);
    assert.equal(secret.slice(-6), computeChecksum(secret.slice(3, 46)));
  }
  assert.equal(new Set(secrets).size, 100);
});

test('the checksum is the CRC-32 in base 62', () => {
  // CRC-32 of "123456789" is 0xcbf43926 = 3421780262.
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const value = [...computeChecksum('123456789')].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  assert.equal(value, 0xcbf43926);
});
