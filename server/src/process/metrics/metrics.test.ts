import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { addDevice, addTeamWithBot, linkDevice, newPhone, startDevicesApp } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { enqueueReplies } from '../../chat/messages/outbox.ts';
import { connectionRoutes } from '../../devices/connection.routes.ts';
import { deviceRoutes } from '../../devices/devices.routes.ts';
import { startMetricsListener } from '../../platform/metrics/metrics-listener.ts';
import { createHosts } from '../../platform/shared/hosts.ts';
import { createMetrics } from './metrics.ts';

const app = await startDevicesApp({ routes: (f) => [deviceRoutes(f), connectionRoutes(f)] });
const { db } = app.context;
const local = { socket: { remoteAddress: '127.0.0.1' }, headers: { host: 'localhost' } };
const figureOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

test('exports sessions, lease and delivery outcomes on the interface of the pool', async () => {
  const pool = await app.startPool({ leaseSeconds: 15 });
  const { teamId, botId } = await addTeamWithBot(db);
  const deviceId = await addDevice(app, { teamId, botId });
  await linkDevice(app, deviceId, newPhone());
  const parts = [{ text: 'one' }];
  const contactNumber = '+15550199';
  await db.transaction().execute((tx) =>
    enqueueReplies(tx, {
      teamId,
      deviceId,
      contactNumber,
      origin: 'bot',
      answerId: null,
      requestId: null,
      parts,
    }),
  );
  app.context.notifications.publish('message-due', deviceId);
  await eventually(async () => {
    const text = await (await fetch(`${pool.url}/metrics`)).text();
    assert.equal(figureOf(text, 'parley_sends_total{outcome="sent"}'), 1);
    assert.equal(figureOf(text, 'parley_outbox_claims_total{kind="first"}'), 1);
    assert.equal(figureOf(text, 'parley_sessions{state="up"}'), 1);
    assert.equal(figureOf(text, 'parley_session_events_total{event="up"}'), 1);
    const remaining = figureOf(text, 'parley_pool_lease_remaining_seconds') ?? 0;
    assert.ok(remaining > 5 && remaining < 15, `${remaining}`);
  });
  const passedOn = await fetch(`${pool.url}/metrics`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
  assert.equal(passedOn.status, 401);
  await pool.close();
});

test('serves metrics on METRICS_PORT in a process without another interface', async () => {
  const { expose } = createMetrics({ db, token: 'scrape-token' });
  const listener = await startMetricsListener({
    host: '127.0.0.1',
    port: 0,
    expose,
    hosts: createHosts([]),
  });
  after(() => listener.close());
  const headers = { authorization: 'Bearer scrape-token' };
  assert.match(await (await fetch(`${listener.url}/metrics`, { headers })).text(), /^parley_jobs_total|^# /m);
  assert.equal((await fetch(`${listener.url}/metrics`)).status, 404);
  assert.equal((await fetch(`${listener.url}/other`, { headers })).status, 404);
});

test('exports the age of the oldest waiting message from any process and caches it', async () => {
  const { teamId, botId } = await addTeamWithBot(db);
  const reading = async () => {
    const { expose } = createMetrics({ db, token: null });
    const read = async () => (await expose(local))?.text ?? assert.fail();
    return { read, text: await read() };
  };
  const quiet = await reading();
  assert.equal(figureOf(quiet.text, 'parley_oldest_unanswered_message_seconds'), 0);
  assert.equal(figureOf(quiet.text, 'parley_oldest_due_outbox_message_seconds'), 0);
  await sql`
    with device as (
      insert into devices (id, team_id, bot_id, name, pool_id, pool_url)
      values (gen_random_uuid(), ${teamId}, ${botId}, 'Desk', gen_random_uuid(), 'http://gone') returning id
    ), conversation as (
      insert into conversations (id, team_id, device_id, contact_number, answer_due_at)
      select gen_random_uuid(), ${teamId}::uuid, id, '+15550199', now() - interval '1 minute' from device
    )
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                          created_at, next_attempt_at)
    select gen_random_uuid(), ${teamId}::uuid, device.id, '+15550199', m.direction, m.origin, 'text', 'hello', m.direction,
           m.status, now() - interval '2 minutes', now() - interval '3 minutes'
    from device, (values ('in', 'contact', 'received'), ('out', 'api', 'accepted')) as m (direction, origin, status)`.execute(
    db,
  );
  const { text } = await reading();
  const unanswered = figureOf(text, 'parley_oldest_unanswered_message_seconds') ?? 0;
  const unsent = figureOf(text, 'parley_oldest_due_outbox_message_seconds') ?? 0;
  // Two and three minutes. The columns round to milliseconds, also up.
  assert.ok(unanswered > 119 && unanswered < 140, `${unanswered}`);
  assert.ok(unsent > 179 && unsent < 200, `${unsent}`);
  assert.equal(
    figureOf(await quiet.read(), 'parley_oldest_unanswered_message_seconds'),
    0,
    'a process that has just asked does not ask again',
  );
});

test('exports no lease and no claims without a pool and a worker', async () => {
  const { expose } = createMetrics({ db, token: null });
  const exposed = await expose(local);
  assert.equal(figureOf(exposed?.text ?? '', 'parley_pool_lease_remaining_seconds'), undefined);
  assert.equal(figureOf(exposed?.text ?? '', 'parley_answering_claims'), undefined);
});

test('documents every metric and no others', async () => {
  const metrics = createMetrics({ db, token: null, localDisk: '.' });
  const exposed = await metrics.expose(local);
  const named = [...(exposed?.text ?? '').matchAll(/^# TYPE (parley_\w+)/gm)].map(([, name]) => name);
  const document = await readFile(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
  const documented = [...document.matchAll(/^\| `(parley_\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), documented.sort());
});
