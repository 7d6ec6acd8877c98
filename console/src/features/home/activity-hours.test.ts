import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActivityHour } from '@parley/sdk';
import { mergeHours } from './activity-hours.ts';

const hourAt = (position: number, received = 0): ActivityHour => ({
  hour: new Date(Date.UTC(2027, 0, 1, position)).toISOString(),
  received,
  answers: 0,
  others: 0,
});
const day = Array.from({ length: 24 }, (_, position) => hourAt(position, 1));

test('replaces the last hours, and drops the first ones when new hours begin', () => {
  assert.deepEqual(mergeHours(day, [hourAt(22, 5), hourAt(23, 6)]), [
    ...day.slice(0, 22),
    hourAt(22, 5),
    hourAt(23, 6),
  ]);
  assert.deepEqual(mergeHours(day, [hourAt(23, 5), hourAt(24, 6)]), [
    ...day.slice(1, 23),
    hourAt(23, 5),
    hourAt(24, 6),
  ]);
});

test('refuses hours that leave a gap or an old figure', () => {
  assert.equal(mergeHours(day, [hourAt(24), hourAt(25)]), null);
  assert.equal(mergeHours(day, [hourAt(30), hourAt(31)]), null);
  assert.equal(mergeHours([], [hourAt(0), hourAt(1)]), null);
});
