import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailedExchanges } from './failed-exchanges.ts';

const wrong = async () => null;
const right = async () => 'token';

/** Runs one exchange per address in parallel. Returns how many ran. */
async function runOf(failed: ReturnType<typeof createFailedExchanges>, addresses: readonly string[]) {
  const attempts = await Promise.all(addresses.map((address) => failed.attempt(address, wrong)));
  return attempts.filter(({ lockedFor }) => lockedFor === 0).length;
}

test('locks an address at its 60th failure', async () => {
  const failed = createFailedExchanges();
  for (let i = 0; i < 60; i++) {
    assert.deepEqual(await failed.attempt('192.0.2.1', wrong), { result: null, lockedFor: 0 });
  }
  assert.deepEqual(await failed.attempt('192.0.2.1', right), { result: null, lockedFor: 60 });
  assert.deepEqual(await failed.attempt('192.0.2.2', right), { result: 'token', lockedFor: 0 });
});

test('runs no more parallel guesses than sequential ones', async () => {
  assert.equal(await runOf(createFailedExchanges(), Array(150).fill('192.0.2.1')), 60);
});

test('runs all parallel exchanges that succeed, and does not count an exchange that throws', async () => {
  const failed = createFailedExchanges();
  const attempts = await Promise.all(Array.from({ length: 150 }, () => failed.attempt('192.0.2.1', right)));
  for (const attempt of attempts) assert.deepEqual(attempt, { result: 'token', lockedFor: 0 });
  const broken = Array.from({ length: 150 }, () =>
    failed.attempt('192.0.2.1', () => Promise.reject(new Error('away'))),
  );
  for (const { status } of await Promise.allSettled(broken)) assert.equal(status, 'rejected');
  assert.equal((await failed.attempt('192.0.2.1', right)).lockedFor, 0);
});

test('counts an IPv6 /64 as one address, and every spelling of an IPv4 address as the same', async () => {
  const failed = createFailedExchanges();
  const network = Array.from({ length: 70 }, (_, i) => `2001:db8::${i.toString(16)}`);
  assert.equal(await runOf(failed, network), 60);
  assert.equal(await runOf(failed, ['2001:db8:0:1::1']), 1);
  assert.equal(
    await runOf(failed, [...Array(40).fill('::ffff:192.0.2.1'), ...Array(30).fill('192.0.2.1')]),
    60,
  );
});

test('ignores the port that a proxy appends to an address', async () => {
  const ports = Array.from({ length: 70 }, (_, i) => 4000 + i);
  const failed = createFailedExchanges();
  assert.equal(await runOf(failed, ['192.0.2.1', ...ports.map((port) => `192.0.2.1:${port}`)]), 60);
  assert.equal(await runOf(failed, ['2001:db8::1', ...ports.map((port) => `[2001:db8::2]:${port}`)]), 60);
  assert.equal(await runOf(failed, ['[2001:db8::1]']), 0);
});
