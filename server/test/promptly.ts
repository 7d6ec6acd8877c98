import assert from 'node:assert/strict';
import { withDeadline } from '../src/platform/shared/deadline.ts';

/** Fails unless `work` ends within half of the database's lock timeout. A busy machine needs less. */
export function promptly<Result>(
  work: Promise<Result> | (() => Promise<Result>),
  ms = 5000,
): Promise<Result> {
  return withDeadline(ms, async () => (typeof work === 'function' ? work() : work)).catch((error: Error) => {
    if (error.name === 'TimeoutError') assert.fail(`it took longer than ${ms} ms`);
    throw error;
  });
}
