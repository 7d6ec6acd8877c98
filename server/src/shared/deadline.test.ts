import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDeadline } from './deadline.ts';

const never = () => new Promise<never>(() => undefined);

test('work in time gives its result', async () => {
  assert.equal(await withDeadline(10_000, async () => 'done'), 'done');
});

test('work that does not listen to its signal is given up all the same', async () => {
  await assert.rejects(withDeadline(5, never), { name: 'TimeoutError' });
});

test('the signal tells work that its time is over', async () => {
  const told = Promise.withResolvers<void>();
  const late = withDeadline(5, (signal) => {
    signal.addEventListener('abort', () => told.resolve());
    return never();
  });
  await assert.rejects(late, { name: 'TimeoutError' });
  await told.promise;
});

test('an abort from outside ends it before its time', async () => {
  const outside = new AbortController();
  const stopped = withDeadline(60_000, never, outside.signal);
  outside.abort(new Error('stopping'));
  await assert.rejects(stopped, { message: 'stopping' });
  await assert.rejects(withDeadline(60_000, never, outside.signal), { message: 'stopping' });
});
