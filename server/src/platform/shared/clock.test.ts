import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { toMonth } from './clock.ts';

const { TZ: zone } = process.env;
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

test('returns the UTC month in every time zone', () => {
  for (const ofProcess of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
    process.env['TZ'] = ofProcess;
    assert.equal(toMonth(new Date('2026-10-31T23:59:59.999Z')), '2026-10-01', ofProcess);
    assert.equal(toMonth(new Date('2026-11-01T00:00:00.000Z')), '2026-11-01', ofProcess);
  }
});
