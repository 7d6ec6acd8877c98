import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from './specification.ts';

/** A box that holds one item. */
const box = {
  after(full: boolean, operation: 'put' | 'take', done: boolean): boolean | null {
    const possible = operation === 'put' ? !full : full;
    if (done !== possible) return null;
    return done ? operation === 'put' : full;
  },
};
const put = (answer: boolean) => ({ operation: 'put' as const, answer });
const take = (answer: boolean) => ({ operation: 'take' as const, answer });

test('explains concurrent operations by an order that fits all answers and the final state', () => {
  assert.equal(
    explain(box, false, [put(true), take(true), put(true)], (full) => full),
    true,
  );
  assert.equal(
    explain(box, false, [put(false), put(true)], (full) => full),
    true,
  );
});

test('rejects answers that no order explains', () => {
  assert.equal(
    explain(box, false, [put(true), put(true)], () => true),
    null,
    'the box holds one item',
  );
  assert.equal(
    explain(box, false, [put(true), take(true)], (full) => full),
    null,
    'the box is empty after the last take',
  );
});
