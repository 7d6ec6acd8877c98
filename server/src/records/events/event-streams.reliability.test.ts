import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type EventSource, openEventSource } from '../../../test/event-source.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { recordEvent } from './events.sql.ts';

const app = await startTestApp();
const { db } = app.context;
const streams = 1_000;

test(`${streams} open streams all get an event, with one poll of the database`, async () => {
  const { body } = await app.api('POST', '/teams', {
    body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Harbour Rentals' } },
  });
  const teamId: string = body.data.team.id;
  const sources: EventSource[] = [];
  for (let n = 0; n < streams; n += 50) {
    const opening = Array.from({ length: 50 }, () =>
      openEventSource(app.baseUrl, app.key.token, { query: `?team_id=${teamId}&types=credits.exhausted` }),
    );
    sources.push(...(await Promise.all(opening)));
  }
  await recordEvent(db, 'credits.exhausted', teamId, {});
  await eventually(async () => {
    assert.equal(sources.filter(({ events }) => events.length === 1).length, streams);
  }, 60_000);
  const { rows } = await sql<{ connections: number }>`
    select count(*)::int as connections from pg_stat_activity where datname = current_database()`.execute(db);
  assert.ok((rows[0]?.connections ?? 0) < 30);
  for (const source of sources) source.close();
});
