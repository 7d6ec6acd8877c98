import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailedExchanges } from './failed-exchanges.ts';

test('an address is locked with its sixtieth failure', () => {
  const failed = createFailedExchanges();
  for (let i = 0; i < 59; i++) failed.note('192.0.2.1');
  assert.equal(failed.lockedFor('192.0.2.1'), 0);
  failed.note('192.0.2.1');
  assert.equal(failed.lockedFor('192.0.2.1'), 60);
  assert.equal(failed.lockedFor('192.0.2.2'), 0);
});

test('the addresses of one IPv6 network count as one, and an IPv4 address counts however it is written', () => {
  const failed = createFailedExchanges();
  for (let i = 0; i < 60; i++) failed.note(`2001:db8::${i.toString(16)}`);
  for (let i = 0; i < 60; i++) failed.note('::ffff:192.0.2.1');
  assert.equal(failed.lockedFor('2001:db8::ffff'), 60);
  assert.equal(failed.lockedFor('2001:db8:0:1::1'), 0);
  assert.equal(failed.lockedFor('192.0.2.1'), 60);
});
