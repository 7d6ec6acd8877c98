import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTimes, parseTimes } from './open-times.ts';

test('reads times as people write them, and refuses others', () => {
  for (const [text, expected] of [
    ['', ''],
    ['9-13', '09:00-13:00'],
    [' 09:00 – 13:00 ; 15.30-18 ', '09:00-13:00, 15:30-18:00'],
    ['0-24', '00:00-24:00'],
    ['9-13, 13-14', '09:00-13:00, 13:00-14:00'],
  ] as const)
    assert.equal(formatTimes(parseTimes(text) ?? assert.fail(text)), expected);
  for (const text of ['9', '9-', '13-9', '9-25', '9-24:01', '9:60-10', '9-13, 12-14', 'closed', '9-9'])
    assert.equal(parseTimes(text), null, text);
});
