import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDeadline } from './deadline.ts';

const never = () => new Promise<never>(() => undefined);

test('returns the result of work that ends in time', async () => {
  assert.equal(await withDeadline(10_000, async () => 'done'), 'done');
});

test('rejects even if the work ignores its signal', async () => {
  await assert.rejects(withDeadline(5, never), { name: 'TimeoutError' });
});

test('aborts the signal when the time is over', async () => {
  const aborted = Promise.withResolvers<void>();
  const late = withDeadline(5, (signal) => {
    signal.addEventListener('abort', () => aborted.resolve());
    return never();
  });
  await assert.rejects(late, { name: 'TimeoutError' });
  await aborted.promise;
});

test('rejects early when the parent signal aborts', async () => {
  const parent = new AbortController();
  const stopped = withDeadline(60_000, never, parent.signal);
  parent.abort(new Error('stopping'));
  await assert.rejects(stopped, { message: 'stopping' });
  await assert.rejects(withDeadline(60_000, never, parent.signal), { message: 'stopping' });
});
