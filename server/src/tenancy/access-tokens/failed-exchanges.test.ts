import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailedExchanges } from './access-tokens.routes.ts';

/** Counts one failure per address. Returns how many were within the limits. */
function withinLimits(failed: ReturnType<typeof createFailedExchanges>, addresses: readonly string[]) {
  return addresses.filter((address) => failed.count(address, 'pk_1') === 0).length;
}

test('limits a pair of address and key id after 60 failures, and no other pair', () => {
  const failed = createFailedExchanges();
  assert.equal(withinLimits(failed, Array(60).fill('192.0.2.1')), 60);
  assert.equal(failed.count('192.0.2.1', 'pk_1'), 60);
  assert.equal(failed.count('192.0.2.1', 'pk_2'), 0);
  assert.equal(failed.count('192.0.2.2', 'pk_1'), 0);
});

test('limits an address after 600 failures over all key ids, malformed bodies included', () => {
  const failed = createFailedExchanges();
  for (let i = 0; i < 300; i++) {
    assert.equal(failed.count('192.0.2.1', `pk_${i}`), 0);
    assert.equal(failed.count('192.0.2.1', null), 0);
  }
  assert.equal(failed.count('192.0.2.1', 'pk_new'), 60);
  assert.equal(failed.count('192.0.2.1', null), 60);
  assert.equal(failed.count('192.0.2.2', 'pk_new'), 0);
});

test('counts again after a minute', (t) => {
  const now = t.mock.method(performance, 'now', () => 0);
  const failed = createFailedExchanges();
  withinLimits(failed, Array(60).fill('192.0.2.1'));
  now.mock.mockImplementation(() => 59_500);
  assert.equal(failed.count('192.0.2.1', 'pk_1'), 1);
  now.mock.mockImplementation(() => 60_000);
  assert.equal(failed.count('192.0.2.1', 'pk_1'), 0);
});

test('counts an IPv6 /64 as one address, and every spelling of an IPv4 address as the same', () => {
  const failed = createFailedExchanges();
  const network = Array.from({ length: 70 }, (_, i) => `2001:db8::${i.toString(16)}`);
  assert.equal(withinLimits(failed, network), 60);
  assert.equal(withinLimits(failed, ['2001:db8:0:1::1']), 1);
  const spellings = [...Array(40).fill('::ffff:192.0.2.1'), ...Array(30).fill('192.0.2.1')];
  assert.equal(withinLimits(failed, spellings), 60);
});

test('ignores the port that a proxy appends to an address', () => {
  const ports = Array.from({ length: 70 }, (_, i) => 4000 + i);
  const failed = createFailedExchanges();
  assert.equal(withinLimits(failed, ['192.0.2.1', ...ports.map((port) => `192.0.2.1:${port}`)]), 60);
  assert.equal(withinLimits(failed, ['2001:db8::1', ...ports.map((port) => `[2001:db8::2]:${port}`)]), 60);
  assert.equal(withinLimits(failed, ['[2001:db8::1]']), 0);
});
