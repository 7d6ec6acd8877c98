import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProviderError } from '../provider-error.ts';
import { createModelBreaker } from './model-breaker.ts';

function createBreaker() {
  let now = 0;
  const breaker = createModelBreaker({ elapsed: () => now });
  const failWith = (kind: ProviderError['kind']) => () =>
    Promise.reject(new ProviderError(kind, `no: ${kind}`));
  return {
    breaker,
    failWith,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

const succeed = async () => 'fine';

test('stops the calls of all models after a refused key and tries again every 30 seconds', async () => {
  const { breaker, failWith, advance } = createBreaker();
  await assert.rejects(breaker.run('small', failWith('auth')), { kind: 'auth' });
  await assert.rejects(breaker.run('large', succeed), { kind: 'auth', message: 'no: auth' });
  assert.partialDeepStrictEqual(breaker.lastingFailures(), [
    { kind: 'auth', model: null, message: 'no: auth' },
  ]);
  advance(30_000);
  await assert.rejects(breaker.run('large', failWith('auth')), { kind: 'auth' });
  await assert.rejects(breaker.run('large', succeed), { kind: 'auth' });
  advance(30_000);
  assert.equal(await breaker.run('small', succeed), 'fine');
  assert.deepEqual(breaker.lastingFailures(), []);
  assert.equal(await breaker.run('large', succeed), 'fine');
});

test('stops only the calls of an unknown model', async () => {
  const { breaker, failWith } = createBreaker();
  await assert.rejects(breaker.run('large', failWith('invalid_config')), { kind: 'invalid_config' });
  await assert.rejects(breaker.run('large', succeed), { kind: 'invalid_config' });
  assert.equal(await breaker.run('small', succeed), 'fine');
  assert.partialDeepStrictEqual(breaker.lastingFailures(), [{ kind: 'invalid_config', model: 'large' }]);
});

test('stays closed after passing failures', async () => {
  const { breaker, failWith } = createBreaker();
  for (const kind of ['transient', 'rate_limited', 'refused'] as const) {
    await assert.rejects(breaker.run('small', failWith(kind)), { kind });
  }
  assert.equal(await breaker.run('small', succeed), 'fine');
});

test('lets one call at a time try again', async () => {
  const { breaker, failWith, advance } = createBreaker();
  await assert.rejects(breaker.run('small', failWith('quota_exhausted')));
  advance(30_000);
  const response = Promise.withResolvers<string>();
  const trial = breaker.run('small', () => response.promise);
  await assert.rejects(breaker.run('small', succeed), { kind: 'quota_exhausted' });
  response.resolve('fine');
  assert.equal(await trial, 'fine');
  assert.equal(await breaker.run('small', succeed), 'fine');
});
