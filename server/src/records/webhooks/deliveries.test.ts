import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { rowsRead } from '../../../test/rows-read.ts';
import { idBefore, newId } from '../../platform/shared/ids.ts';
import { hasUnfannedEvents } from '../events/events.sql.ts';
import { fanOut, recordAttempts, selectDue } from './deliveries.queries.ts';
import { insertReplay, selectDeliveries } from './webhooks.queries.ts';

const { db } = (await startTestApp()).context;
const webhookId = newId();
await sql`
  insert into webhooks (id, url, events, description, ordered, thin, secret_sealed)
  values (${webhookId}, 'https://example.com', '{quota.reached}', '', false, false, '')`.execute(db);
await sql`insert into events (type, data) select 'quota.reached', '{}' from generate_series(1, 5000)`.execute(
  db,
);
// Events wait for older transactions of the whole database server, which other tests use too.
await eventually(async () => {
  while ((await fanOut(db, 1_000)) > 0);
  const { rows } = await sql<{ count: number }>`select count(*)::int from webhook_deliveries`.execute(db);
  assert.equal(rows[0]?.count, 5000);
}, 60_000);

async function attemptsOf(count: number) {
  const { rows } = await sql<{ event_id: string; created_at: Date }>`
    select event_id, created_at from webhook_deliveries where status = 'pending' limit ${count}`.execute(db);
  return rows.map(({ event_id: eventId, created_at: queuedAt }) => ({
    webhookId,
    eventId,
    queuedAt,
    delivered: true,
    responseStatus: 204,
    error: null,
    retryAfter: null,
  }));
}

test('stores outcomes without reading the other waiting deliveries', async () => {
  const attempts = await attemptsOf(20);
  const read = await rowsRead(db, 'webhook_deliveries', async (tx) => {
    assert.deepEqual(await recordAttempts(tx, attempts), new Set());
  });
  assert.ok(read > 0 && read <= 4 * attempts.length, `${read} rows`);
  const { rows: stored } = await sql`select from webhook_deliveries where status = 'delivered'`.execute(db);
  assert.equal(stored.length, attempts.length);
});

test('looks for new events without reading the earlier ones', async () => {
  const read = await rowsRead(db, 'events', async (tx) => assert.equal(await hasUnfannedEvents(tx), false));
  assert.ok(read <= 10, `${read} rows`);
});

test('reads due deliveries in order, up to the one that fills the room', async () => {
  const id = newId();
  await sql`
    insert into webhooks (id, url, events, description, ordered, thin, secret_sealed)
    values (${id}, 'https://example.com', '{message.received}', '', false, false, '')`.execute(db);
  await sql`
    insert into events (type, data)
    select 'message.received', jsonb_build_object('n', n, 'text', repeat('x', 100_000)) from generate_series(1, 9) n`.execute(
    db,
  );
  const read = async (room: { deliveries: number; bytes: number }) =>
    (await selectDue(db, [{ id, room }], [])).map(({ data }) => 'n' in data && data.n);
  await eventually(async () => {
    await fanOut(db, 1_000);
    assert.equal((await read({ deliveries: 500, bytes: 1_000_000 })).length, 9);
  }, 60_000);
  assert.deepEqual(await read({ deliveries: 500, bytes: 250_000 }), [1, 2, 3]);
  assert.deepEqual(await read({ deliveries: 2, bytes: 250_000 }), [1, 2]);
});

test('keeps an event pending that is replayed during an attempt', async () => {
  const attempts = await attemptsOf(1);
  const eventId = attempts[0]?.eventId ?? '';
  await db.transaction().execute((tx) => insertReplay(tx, { id: webhookId, team_id: null }, { eventId }));
  assert.deepEqual(await recordAttempts(db, attempts), new Set());
  const { rows } = await sql`
    select status, attempts from webhook_deliveries where event_id = ${eventId}`.execute(db);
  assert.deepEqual(rows, [{ status: 'pending', attempts: 0 }]);
});

test('replays the events of a team without reading those of others', async () => {
  const webhook = { id: newId(), team_id: newId() };
  await sql`
    insert into teams (id, name, plan_name, paying) values (${webhook.team_id}, 'Harbour', 'pro', true)`.execute(
    db,
  );
  await sql`
    insert into webhooks (id, team_id, url, events, description, ordered, thin, secret_sealed)
    values (${webhook.id}, ${webhook.team_id}, 'https://example.com', '{*}', '', false, false, '')`.execute(
    db,
  );
  const read = await rowsRead(db, 'events', async (tx) => {
    const page = { after: idBefore(new Date(0)), limit: 5_000 };
    assert.equal((await insertReplay(tx, webhook, page)).deliveries, 1);
  });
  assert.ok(read <= 10, `${read} rows`);
});

test('counts the deliveries of a list without reading all events', async () => {
  const read = await rowsRead(db, 'events', async (tx) => {
    const { rows, total } = await selectDeliveries(tx, webhookId, { page: 1, limit: 20 });
    assert.deepEqual([rows.length, total], [20, 5_000]);
  });
  assert.ok(read <= 40, `${read} rows`);
});
