import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailedExchanges } from './failed-exchanges.ts';

const wrong = async () => null;
const right = async () => 'token';

/** One exchange from each address, all at once; answers how many were run, whatever came of them. */
async function runOf(failed: ReturnType<typeof createFailedExchanges>, addresses: readonly string[]) {
  const attempts = await Promise.all(addresses.map((address) => failed.attempt(address, wrong)));
  return attempts.filter(({ lockedFor }) => lockedFor === 0).length;
}

test('an address is locked with its sixtieth failure', async () => {
  const failed = createFailedExchanges();
  for (let i = 0; i < 60; i++) {
    assert.deepEqual(await failed.attempt('192.0.2.1', wrong), { result: null, lockedFor: 0 });
  }
  assert.deepEqual(await failed.attempt('192.0.2.1', right), { result: null, lockedFor: 60 });
  assert.deepEqual(await failed.attempt('192.0.2.2', right), { result: 'token', lockedFor: 0 });
});

test('guesses made at once are no more than guesses made one after the other', async () => {
  assert.equal(await runOf(createFailedExchanges(), Array(150).fill('192.0.2.1')), 60);
});

test('right exchanges made at once are all run, and an exchange that breaks is no failure', async () => {
  const failed = createFailedExchanges();
  const attempts = await Promise.all(Array.from({ length: 150 }, () => failed.attempt('192.0.2.1', right)));
  for (const attempt of attempts) assert.deepEqual(attempt, { result: 'token', lockedFor: 0 });
  const broken = Array.from({ length: 150 }, () =>
    failed.attempt('192.0.2.1', () => Promise.reject(new Error('away'))),
  );
  for (const { status } of await Promise.allSettled(broken)) assert.equal(status, 'rejected');
  assert.equal((await failed.attempt('192.0.2.1', right)).lockedFor, 0);
});

test('the addresses of one IPv6 network count as one, and an IPv4 address counts however it is written', async () => {
  const failed = createFailedExchanges();
  const network = Array.from({ length: 70 }, (_, i) => `2001:db8::${i.toString(16)}`);
  assert.equal(await runOf(failed, network), 60);
  assert.equal(await runOf(failed, ['2001:db8:0:1::1']), 1);
  assert.equal(
    await runOf(failed, [...Array(40).fill('::ffff:192.0.2.1'), ...Array(30).fill('192.0.2.1')]),
    60,
  );
});

test('an address counts as the same whatever port a proxy tells with it', async () => {
  const ports = Array.from({ length: 70 }, (_, i) => 4000 + i);
  const failed = createFailedExchanges();
  assert.equal(await runOf(failed, ['192.0.2.1', ...ports.map((port) => `192.0.2.1:${port}`)]), 60);
  assert.equal(await runOf(failed, ['2001:db8::1', ...ports.map((port) => `[2001:db8::2]:${port}`)]), 60);
  assert.equal(await runOf(failed, ['[2001:db8::1]']), 0);
});
