import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { promptly } from '../../../test/promptly.ts';
import { startWebhookReceiver } from '../../../test/webhook-receiver.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordEvent } from '../events/events.sql.ts';
import { retryDelay, startDeliveries } from './deliveries.ts';

const receiver = await startWebhookReceiver();
const app = await startTestApp({ environment: { WEBHOOK_ALLOWED_HOSTS: receiver.host } });
const { context } = app;
const { db } = context;
const outbound = createOutbound({ allowedHosts: [receiver.host] });

/** A worker that delivers to the webhooks of the app. */
function startWorker(): { close(): Promise<void> } {
  const worker = startDeliveries({ ...context, outbound });
  after(() => worker.close());
  return worker;
}
startWorker();

async function addTeam(): Promise<string> {
  const { body } = await app.api('POST', '/teams', {
    body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Harbour Rentals' } },
  });
  return body.data.team.id;
}

interface Hook {
  teamId: string;
  id: string;
  path: string;
  secret: string;
}

/** A webhook of a new team, at a path of its own. */
async function addHook(options: { status?: number; body?: object } = {}): Promise<Hook> {
  const teamId = await addTeam();
  const path = `/${newId()}`;
  await receiver.set({ path, status: options.status ?? 204 });
  const { status, body } = await app.api('POST', '/webhooks', {
    body: { team_id: teamId, url: receiver.url(path), events: ['quota.reached'], ...options.body },
  });
  assert.equal(status, 200, JSON.stringify(body));
  await receiver.set({ path, secret: body.data.secret });
  return { teamId, id: body.data.id, path, secret: body.data.secret };
}

const record = (teamId: string, used: number, chat: string | null = null, within = db): Promise<unknown> =>
  sql`
    insert into events (team_id, type, data, device_id, contact_number)
    values (${teamId}, 'quota.reached', ${JSON.stringify({ quota: 'bots', used, limit: 9 })}::jsonb,
            ${chat === null ? null : newId()}, ${chat})`.execute(within);

const usedAt = ({ path }: Hook) => receiver.received(path).map(({ event }) => event.data['used']);

const deliveriesOf = async ({ id }: Hook, status = ''): Promise<Record<string, unknown>[]> =>
  (await app.api('GET', `/webhooks/${id}/deliveries${status}`)).body.data;

const makeDue = ({ id }: Hook) =>
  sql`update webhook_deliveries set next_attempt_at = now() where webhook_id = ${id}`.execute(db);

test('delivers events of its types and team, signed, once', async () => {
  const hook = await addHook();
  const other = await addHook();
  await record(hook.teamId, 1);
  await recordEvent(db, 'quota.warning', hook.teamId, { quota: 'bots', used: 7, limit: 9 });
  await record(hook.teamId, 2);
  await eventually(async () => assert.deepEqual(usedAt(hook).sort(), [1, 2]));
  assert.deepEqual(usedAt(other), []);
  for (const { verified, id, event } of receiver.received(hook.path)) {
    assert.ok(verified);
    assert.equal(id, event.id);
  }
  await eventually(async () => {
    const deliveries = await deliveriesOf(hook, '?status=delivered');
    assert.deepEqual(
      deliveries.map(({ attempts, response_status: status, error }) => [attempts, status, error]),
      [
        [1, 204, null],
        [1, 204, null],
      ],
    );
  });
});

test('repeats a failed delivery after a delay under the same id', async () => {
  const hook = await addHook({ status: 500 });
  await record(hook.teamId, 1);
  await eventually(async () => {
    const [delivery] = await deliveriesOf(hook);
    assert.deepEqual([delivery?.['attempts'], delivery?.['error']], [1, 'the receiver answered 500']);
    const waitMs =
      Date.parse(String(delivery?.['next_attempt_at'])) - Date.parse(String(delivery?.['last_attempt_at']));
    assert.ok(waitMs >= 4_400 && waitMs <= 5_600, `${waitMs} ms`);
  });
  const failingSince = async () => (await app.api('GET', `/webhooks/${hook.id}`)).body.data.failing_since;
  await eventually(async () => assert.ok(await failingSince()));
  const listed = async (failing: boolean) => {
    const { body } = await app.api('GET', `/webhooks?team_id=${hook.teamId}&failing=${failing}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual([await listed(true), await listed(false)], [[hook.id], []]);
  const counts = async () =>
    Promise.all(
      ['?failing=true', '?failing=false'].map(async (query) => (await deliveriesOf(hook, query)).length),
    );
  assert.deepEqual(await counts(), [1, 0]);
  await receiver.set({ path: hook.path, status: 200 });
  await makeDue(hook);
  await eventually(async () => assert.equal((await deliveriesOf(hook, '?status=delivered')).length, 1));
  await eventually(async () => assert.equal(await failingSince(), null));
  assert.deepEqual(await counts(), [0, 1]);
  const [first, second, ...others] = receiver.received(hook.path);
  assert.deepEqual([first?.id, others.length], [second?.id, 0]);
});

test('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, 24 h and 24 h, up to 10% more or less', () => {
  const all = [5, 300, 1800, 7200, 18_000, 36_000, 36_000, 86_400, 86_400];
  assert.deepEqual(
    all.map((_, n) => retryDelay(n + 1, () => 0.5)),
    all,
  );
  assert.deepEqual([retryDelay(1, () => 0), retryDelay(1, () => 1), retryDelay(10)], [4.5, 5.5, null]);
});

test('gives up after the last retry', async () => {
  const hook = await addHook({ status: 500 });
  await record(hook.teamId, 1);
  await eventually(async () => assert.equal((await deliveriesOf(hook))[0]?.['attempts'], 1));
  await sql`update webhook_deliveries set attempts = 9, next_attempt_at = now() where webhook_id = ${hook.id}`.execute(
    db,
  );
  await eventually(async () => assert.equal((await deliveriesOf(hook, '?status=failed')).length, 1));
});

test('follows no redirect', async () => {
  const hook = await addHook({ status: 302 });
  await record(hook.teamId, 1);
  await eventually(async () => assert.equal((await deliveriesOf(hook))[0]?.['response_status'], 302));
  assert.deepEqual(receiver.received('/redirected'), []);
});

test('refuses private receivers that are not allowed', async () => {
  const teamId = await addTeam();
  const { body } = await app.api('POST', '/webhooks', {
    body: { team_id: teamId, url: 'http://127.0.0.1:9/', events: ['*'] },
  });
  const tested = await app.api('POST', `/webhooks/${body.data.id}/test`);
  assert.deepEqual(
    [tested.body.data.delivered, tested.body.data.error],
    [false, 'the address could not be reached or is not allowed'],
  );
});

test('reports how the receiver answered a test event', async () => {
  const hook = await addHook();
  const { body } = await app.api('POST', `/webhooks/${hook.id}/test`);
  assert.deepEqual([body.data.delivered, body.data.response_status], [true, 204]);
  const [received] = receiver.received(hook.path);
  assert.deepEqual([received?.verified, received?.event.type], [true, 'webhook.test']);
});

test('signs with both secrets for 24 hours after a rotation', async () => {
  const hook = await addHook();
  const { body } = await app.api('POST', `/webhooks/${hook.id}/rotate-secret`);
  assert.notEqual(body.data.secret, hook.secret);
  await record(hook.teamId, 1);
  await eventually(async () => assert.equal(receiver.received(hook.path).length, 1));
  await receiver.set({ path: hook.path, secret: body.data.secret });
  await record(hook.teamId, 2);
  await eventually(async () => assert.equal(receiver.received(hook.path).length, 2));
  await sql`update webhooks set previous_secret_until = now() - interval '1 second' where id = ${hook.id}`.execute(
    db,
  );
  await eventually(async () => {
    await record(hook.teamId, 3);
    assert.equal(receiver.received(hook.path).at(-1)?.signatures, 1);
  });
  const received = receiver.received(hook.path);
  assert.deepEqual(received[0]?.signatures, 2);
  assert.ok(received.every(({ verified }) => verified));
});

for (const { name, status, since, reason } of [
  { name: 'a receiver that answers 410', status: 410, since: 'now()', reason: 'gone' },
  {
    name: 'a receiver that failed for five days',
    status: 500,
    since: `now() - interval '5 days'`,
    reason: 'failing',
  },
]) {
  test(`disables ${name}, with an event, and delivers what waited once it is enabled`, async () => {
    const hook = await addHook({ status, body: { events: ['quota.reached'] } });
    await sql`update webhooks set failing_since = ${sql.raw(since)} where id = ${hook.id}`.execute(db);
    await record(hook.teamId, 1);
    await eventually(async () => {
      const { body } = await app.api('GET', `/webhooks/${hook.id}`);
      assert.deepEqual([body.data.enabled, body.data.disabled_reason], [false, reason]);
    });
    await eventually(async () => {
      const { body } = await app.api('GET', `/events?types=webhook.disabled&team_id=${hook.teamId}`);
      assert.deepEqual(
        body.data.map(({ data }: { data: object }) => data),
        [{ webhook_id: hook.id, url: receiver.url(hook.path), reason }],
      );
    });
    await receiver.set({ path: hook.path, status: 204 });
    await app.api('PATCH', `/webhooks/${hook.id}`, { body: { enabled: true } });
    await makeDue(hook);
    await eventually(async () => assert.equal((await deliveriesOf(hook, '?status=delivered')).length, 1));
  });
}

test('delivers the events of one conversation in order, and other events meanwhile', async () => {
  const hook = await addHook({ status: 500, body: { ordered: true } });
  const deviceId = newId();
  const inChat = (used: number, contact: string) =>
    sql`
      insert into events (team_id, type, data, device_id, contact_number)
      values (${hook.teamId}, 'quota.reached', ${JSON.stringify({ quota: 'bots', used, limit: 9 })}::jsonb, ${deviceId}, ${contact})`.execute(
      db,
    );
  await inChat(1, '+1');
  await eventually(async () => assert.deepEqual(usedAt(hook), [1]));
  await receiver.set({ path: hook.path, status: 204 });
  for (let used = 2; used <= 30; used += 1) await inChat(used, '+1');
  await inChat(100, '+2');
  await eventually(async () => assert.deepEqual(usedAt(hook), [1, 100]));
  await makeDue(hook);
  await eventually(async () =>
    assert.deepEqual(
      usedAt(hook).filter((used) => used !== 100),
      [1, ...Array.from({ length: 30 }, (_, n) => n + 1)],
    ),
  );
});

test('leaves texts and numbers out of thin payloads', async () => {
  const hook = await addHook({ body: { thin: true, events: ['message.received'] } });
  const data = { message_id: newId(), device_id: newId(), contact_number: '+15550177', text: 'Hello' };
  await recordEvent(db, 'message.received', hook.teamId, data);
  await eventually(async () => assert.equal(receiver.received(hook.path).length, 1));
  const { message_id, device_id } = data;
  const [received] = receiver.received(hook.path);
  assert.deepEqual(received?.event.data, { message_id, device_id });
  assert.equal((await deliveriesOf(hook))[0]?.['payload'], received?.body);
});

test('replays one event or all since a time, under their ids', async () => {
  const hook = await addHook();
  for (const used of [1, 2, 3]) await record(hook.teamId, used);
  await eventually(async () => assert.equal((await deliveriesOf(hook, '?status=delivered')).length, 3));
  const [first] = receiver.received(hook.path);
  const replay = (body: object) => app.api('POST', `/webhooks/${hook.id}/replay`, { body });
  assert.deepEqual((await replay({ event_id: first?.id })).body.data, { deliveries: 1 });
  await eventually(async () => assert.equal(receiver.received(hook.path).length, 4));
  assert.equal(receiver.received(hook.path)[3]?.id, first?.id);
  assert.deepEqual((await replay({ since: '2026-01-01T00:00:00.000Z' })).body.data, { deliveries: 3 });
  await eventually(async () => assert.equal(receiver.received(hook.path).length, 7));
  assert.deepEqual((await replay({ since: '0001-01-01T00:00:00Z' })).body.data, { deliveries: 3 });
  await eventually(async () => assert.equal(receiver.received(hook.path).length, 10));
  assert.equal((await replay({})).status, 400);
  assert.equal((await replay({ event_id: newId() })).status, 400);
});

test('replays many events in several transactions, for which later events wait', async () => {
  const hook = await addHook({ body: { enabled: false } });
  await sql`
    insert into events (team_id, type, data)
    select ${hook.teamId}, 'quota.reached', '{"quota": "bots", "used": 1, "limit": 9}' from generate_series(1, 5001)`.execute(
    db,
  );
  const { body } = await app.api('POST', `/webhooks/${hook.id}/replay`, {
    body: { since: '2026-01-01T00:00:00.000Z' },
  });
  assert.deepEqual(body.data, { deliveries: 5001 });
  const { rows } = await sql`
    select count(*)::int from webhook_deliveries where webhook_id = ${hook.id} group by xmin::text order by 1`.execute(
    db,
  );
  assert.deepEqual(rows, [{ count: 1 }, { count: 5000 }]);
});

test('delays no other receiver when one does not respond', async () => {
  const dead = await addHook({ status: 0 });
  const hook = await addHook();
  for (let used = 1; used <= 50; used += 1) await record(dead.teamId, used);
  await eventually(async () => assert.ok(receiver.received(dead.path).length >= 16));
  const startedAt = performance.now();
  await record(hook.teamId, 1);
  await eventually(async () => assert.deepEqual(usedAt(hook), [1]));
  assert.ok(performance.now() - startedAt < 10_000);
  assert.equal(receiver.received(dead.path).length, 16);
  await app.api('DELETE', `/webhooks/${dead.id}`);
});

test('locked rows of one webhook delay no outcome of another', async () => {
  const [locked, hook] = [await addHook({ status: 500 }), await addHook({ status: 500 })];
  for (const each of [locked, hook]) {
    await record(each.teamId, 1);
    await eventually(async () => assert.equal((await deliveriesOf(each))[0]?.['attempts'], 1));
  }
  await receiver.set({ path: hook.path, status: 204 });
  // The transaction holds back all later events, so these deliveries exist before it.
  const makeDueIn = ({ id }: Hook, seconds: number) =>
    sql`
      update webhook_deliveries set next_attempt_at = now() + make_interval(secs => ${seconds})
      where webhook_id = ${id}`.execute(db);
  await makeDueIn(locked, 1);
  await makeDueIn(hook, 2);
  await db.transaction().execute(async (tx) => {
    await sql`select from webhook_deliveries where webhook_id = ${locked.id} for update`.execute(tx);
    await sql`select from webhooks where id = ${locked.id} for no key update`.execute(tx);
    await eventually(async () => assert.equal(receiver.received(locked.path).length, 2));
    await promptly(() =>
      eventually(async () => assert.equal((await deliveriesOf(hook, '?status=delivered')).length, 1)),
    );
  });
  await eventually(async () => assert.equal((await deliveriesOf(locked))[0]?.['attempts'], 2));
});

test('adds deliveries of other webhooks while the deletion of a webhook waits to commit', async () => {
  const [deleted, hook] = [await addHook(), await addHook()];
  const [earlier, deletion] = [await db.startTransaction().execute(), await db.startTransaction().execute()];
  try {
    // Only an event of an earlier transaction is due before the deletion ends.
    for (const { teamId } of [deleted, hook]) await record(teamId, 1, null, earlier);
    await sql`delete from webhooks where id = ${deleted.id}`.execute(deletion);
    await earlier.commit().execute();
    await promptly(() => eventually(async () => assert.deepEqual(usedAt(hook), [1])));
  } finally {
    await deletion.commit().execute();
  }
  const { body } = await app.api('GET', `/events?team_id=${deleted.teamId}&types=quota.reached`);
  assert.equal(body.data.length, 1);
  assert.equal((await app.api('GET', `/webhooks/${deleted.id}/deliveries`)).status, 404);
});

test('deletes the deliveries of a webhook with it', async () => {
  const hook = await addHook({ status: 500 });
  await record(hook.teamId, 1);
  await eventually(async () => assert.equal((await deliveriesOf(hook))[0]?.['attempts'], 1));
  await app.api('DELETE', `/webhooks/${hook.id}`);
  const { rows } = await sql`select from webhook_deliveries where webhook_id = ${hook.id}`.execute(db);
  assert.equal(rows.length, 0);
});

test('hides the webhooks of other teams and of all teams from a key of scope team', async () => {
  const [own, other] = [await addHook(), await addHook()];
  const everyTeam = await app.api('POST', '/webhooks', {
    body: { url: receiver.url('/none'), events: ['team.created'] },
  });
  assert.equal(everyTeam.body.data.team_id, null);
  const { token } = await app.issueKey({ teamId: own.teamId });
  const listed = await app.api('GET', '/webhooks', { token });
  assert.deepEqual(
    listed.body.data.map(({ id }: { id: string }) => id),
    [own.id],
  );
  for (const id of [other.id, everyTeam.body.data.id]) {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
    ] as const) {
      const { status } = await app.api(method, `/webhooks/${id}${path}`, {
        token,
        ...(method === 'PATCH' ? { body: {} } : {}),
      });
      assert.equal(status, 404, `${method} ${path}`);
    }
  }
  const created = await app.api('POST', '/webhooks', {
    token,
    body: { url: receiver.url('/none'), events: ['*'] },
  });
  assert.equal(created.body.data.team_id, own.teamId);
  const foreign = await app.api('POST', '/webhooks', {
    token,
    body: { team_id: other.teamId, url: receiver.url('/none'), events: ['*'] },
  });
  assert.equal(foreign.status, 400);
});

test('refuses URLs and types that cannot work', async () => {
  for (const body of [
    { url: 'ftp://example.com', events: ['*'] },
    { url: 'https://user:pass@example.com', events: ['*'] },
    { url: 'https://example.com', events: ['*', 'team.created'] },
    { url: 'https://example.com', events: ['nonsense'] },
    { url: 'https://example.com', events: [] },
  ]) {
    assert.equal((await app.api('POST', '/webhooks', { body })).status, 400, JSON.stringify(body));
  }
});

test('creates at most 50 webhooks of one team, and those of other teams beside them', async () => {
  const [{ teamId }, otherId] = [await addHook(), await addTeam()];
  const create = (ofTeam: string) =>
    app.api('POST', '/webhooks', { body: { team_id: ofTeam, url: receiver.url('/'), events: ['*'] } });
  for (let n = 1; n < 50; n += 1) assert.equal((await create(teamId)).status, 200);
  const { status, body } = await create(teamId);
  assert.deepEqual([status, body.details.reason], [400, 'too_many_webhooks']);
  assert.equal((await create(otherId)).status, 200);
});
