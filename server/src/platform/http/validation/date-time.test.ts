import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../../test/harness.ts';
import { dateTimeMeans } from './date-time.ts';

const { api, context } = await startTestApp();

const lists = ['/teams', '/documents', '/bots', '/devices', '/messages', '/conversations', '/audit-log'];

const unreadable = [
  '0000-01-01T00:00:00Z',
  '2026-01-01T00:00:00+16:00',
  '2026-01-01T00:00:00-23:59',
  '2026-01-01T00:00:00+15:60',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-01-01\u00a000:00:00Z',
  `2026-01-01T00:00:00.${'0'.repeat(200)}Z`,
  '2026-01-01T00:00:00',
];

test('rejects a time that the database cannot read', async () => {
  for (const list of lists) {
    for (const time of unreadable) {
      const query = new URLSearchParams({ since: time, until: time });
      const { status, body } = await api('GET', `${list}?${query}`);
      assert.equal(status, 400, `${list} ${time} ${JSON.stringify(body)}`);
      assert.deepEqual(
        body.details.issues,
        ['since', 'until'].map((path) => ({ path, message: dateTimeMeans })),
      );
    }
  }
});

test('accepts every other time, which the database and Date read alike', async () => {
  for (const time of [
    '0001-01-01T00:00:00+15:59',
    '9999-12-31T23:59:59.999999-15:59',
    '2024-02-29t00:00:00.5z',
    '2026-01-01 00:00:00+0130',
  ]) {
    const query = new URLSearchParams({ since: time, until: time });
    for (const list of lists)
      assert.equal((await api('GET', `${list}?${query}`)).status, 200, `${list} ${time}`);
    const { rows } = await sql<{ ms: number }>`
      select extract(epoch from date_trunc('milliseconds', ${time}::timestamptz)) * 1000 as ms`.execute(
      context.db,
    );
    assert.equal(Number(rows[0]?.ms), new Date(time).getTime(), time);
  }
});
