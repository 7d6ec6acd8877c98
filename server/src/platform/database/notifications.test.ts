import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import pg from 'pg';
import { startBlackholeProxy } from '../../../test/blackhole-proxy.ts';
import { throughServer } from '../../../test/database-address.ts';
import { eventually } from '../../../test/eventually.ts';
import { createTestDatabase } from '../../../test/test-database.ts';
import { handledLocally, startNotifications, type Topic } from './notifications.ts';

const database = await createTestDatabase();
const start = (url = database.url, timeoutMs?: number) =>
  startNotifications({
    url,
    logger: { warn: () => undefined },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
const [here, elsewhere] = [start(), start()];
after(async () => {
  await Promise.all([here.close(), elsewhere.close()]);
  await database.drop();
});

const received: string[] = [];
for (const topic of ['message-due', 'device-changed'] as const) {
  elsewhere.subscribe(topic, (id) => received.push(`${topic} ${id}`));
}

/** Publishes until the other process, which may still be connecting, has received it. */
const publishAndWait = (topic: Topic, id: string) =>
  eventually(async () => {
    here.publish(topic, id);
    assert.ok(received.includes(`${topic} ${id}`));
  });

test('sends ids to other processes unless a local listener handled them', async () => {
  await publishAndWait('device-changed', 'first');
  const own: string[] = [];
  here.subscribe('message-due', (id) => {
    own.push(id);
    return id === 'mine' ? handledLocally : undefined;
  });
  here.publish('message-due', 'mine');
  await publishAndWait('message-due', 'another');
  assert.ok(own.includes('mine'));
  assert.ok(!received.includes('message-due mine'));
});

test('sends notifications without waiting for the disk', async () => {
  const connected = Promise.withResolvers<pg.Client>();
  const logger = { warn: () => undefined };
  await using ends = new AsyncDisposableStack();
  const notifications = startNotifications({
    url: database.url,
    logger,
    onConnected: async (client) => connected.resolve(client),
  });
  ends.defer(() => notifications.close());
  const client = await connected.promise;
  await eventually(async () => {
    const { rows } = await client.query('show synchronous_commit');
    assert.deepEqual(rows, [{ synchronous_commit: 'off' }]);
  });
});

test('sends what was published during a lost connection on the next one', async () => {
  await publishAndWait('device-changed', 'before the cut');
  const administrator = new pg.Client({ connectionString: database.url });
  await administrator.connect();
  const { rows } = await administrator.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'parley notifications'
     order by query like 'listen%', state_change desc`,
  );
  // The last statement of this connection was a notification; that of the others was to listen.
  await administrator.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await administrator.end();
  here.publish('device-changed', 'during the cut');
  await eventually(async () => assert.ok(received.includes('device-changed during the cut')));
});

test('replaces a connection that does not respond, and sends again what it did not acknowledge', async (t) => {
  const line = await startBlackholeProxy(database.url);
  t.after(() => line.close());
  const cutOff = start(line.url, 1_000);
  t.after(() => cutOff.close());
  const connected = Promise.withResolvers<void>();
  cutOff.onGap(connected.resolve);
  await connected.promise;
  line.dropTraffic();
  cutOff.publish('device-changed', 'during the outage');
  await eventually(async () => assert.ok(received.includes('device-changed during the outage')));
});

test('replaces a connection that only listens and fell silent', async (t) => {
  const line = await startBlackholeProxy(database.url);
  t.after(() => line.close());
  const cutOff = start(line.url, 500);
  t.after(() => cutOff.close());
  let connections = 0;
  cutOff.onGap(() => {
    connections += 1;
  });
  await eventually(async () => assert.equal(connections, 1));
  line.dropTraffic();
  await eventually(async () => assert.ok(connections > 1));
});

test('gives up a connection whose login is not answered, and tries another one', async (t) => {
  const attempts: Socket[] = [];
  const silent = createServer((socket) => {
    attempts.push(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => {
    silent.close();
    for (const socket of attempts) socket.destroy();
  });
  const waiting = start(throughServer(database.url, silent), 100);
  t.after(() => waiting.close());
  await eventually(async () => assert.ok(attempts.length >= 2));
});

test('calls gap listeners when notifications may have been missed', async () => {
  let gaps = 0;
  const listening = start();
  after(() => listening.close());
  listening.onGap(() => {
    gaps += 1;
  });
  const untilGaps = (count: number) => eventually(async () => assert.equal(gaps, count), 5000);
  await untilGaps(1);
  const administrator = new pg.Client({ connectionString: database.url });
  await administrator.connect();
  await administrator.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'parley notifications'`,
  );
  await administrator.end();
  await untilGaps(2);
});

test('sends more ids than fit one payload in several payloads', async () => {
  await publishAndWait('device-changed', 'before many');
  const warnings: string[] = [];
  const warned = ({ message }: Error) => void warnings.push(message);
  process.on('warning', warned);
  const ids = Array.from({ length: 250 }, (_, n) => `many-${n}-${'x'.repeat(n)}`);
  for (const id of ids) here.publish('message-due', id);
  await eventually(async () =>
    assert.deepEqual(
      received.filter((entry) => entry.includes('many-')),
      ids.map((id) => `message-due ${id}`),
    ),
  );
  process.off('warning', warned);
  // pg warns about a statement that begins while another runs.
  assert.deepEqual(warnings, []);
});

for (const what of ['a hint', 'nothing'] as const) {
  test(`closes despite an unresponsive connection with ${what} to send`, {
    timeout: 10_000,
  }, async (t) => {
    const line = await startBlackholeProxy(database.url);
    t.after(() => line.close());
    const cutOff = start(line.url);
    const connected = Promise.withResolvers<void>();
    cutOff.onGap(connected.resolve);
    await connected.promise;
    line.dropTraffic();
    if (what === 'a hint') cutOff.publish('message-due', 'untold');
    await cutOff.close();
  });
}

test('keeps a limited number of notifications for an unresponsive connection', async (t) => {
  const line = await startBlackholeProxy(database.url);
  t.after(() => line.close());
  const cutOff = start(line.url, 300);
  const connected = Promise.withResolvers<void>();
  cutOff.onGap(connected.resolve);
  await connected.promise;
  line.dropTraffic();
  for (let n = 0; n < 10_000; n += 1) cutOff.publish('message-due', `kept ${n}`);
  cutOff.publish('message-due', 'one too many');
  await eventually(async () => assert.ok(received.includes('message-due kept 9999')));
  await publishAndWait('message-due', 'after the next connection');
  await cutOff.close();
  assert.ok(!received.includes('message-due one too many'));
});

test('closes a connection that is still being opened', { timeout: 10_000 }, async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const connecting = start(throughServer(database.url, silent));
  const [socket] = (await once(silent, 'connection')) as [Socket]; // the argument of this event
  const ended = once(socket.resume(), 'close');
  await connecting.close();
  await ended;
});
