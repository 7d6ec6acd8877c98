import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import pg from 'pg';
import { startBlackholeProxy } from '../../test/blackhole-proxy.ts';
import { throughServer } from '../../test/database-address.ts';
import { eventually } from '../../test/eventually.ts';
import { createTestDatabase } from '../../test/test-database.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { handledLocally, startNotifications, type Topic } from './notifications.ts';

const database = await createTestDatabase();
const start = (url = database.url, faultPoint: FaultPoint = () => undefined) =>
  startNotifications({ url, logger: { warn: () => undefined }, faultPoint });
const [here, elsewhere] = [start(), start()];
after(async () => {
  await Promise.all([here.close(), elsewhere.close()]);
  await database.drop();
});

const heard: string[] = [];
for (const topic of ['message-due', 'device-changed'] as const) {
  elsewhere.subscribe(topic, (id) => heard.push(`${topic} ${id}`));
}

/** Publishes until it is heard elsewhere, which listens some time after its start; then everything before was, too. */
const publishAndWait = (topic: Topic, id: string) =>
  eventually(async () => {
    here.publish(topic, id);
    assert.ok(heard.includes(`${topic} ${id}`));
  });

test('what is published is told to the other processes, unless a listener here has dealt with it', async () => {
  await publishAndWait('device-changed', 'first');
  const own: string[] = [];
  here.subscribe('message-due', (id) => {
    own.push(id);
    return id === 'mine' ? handledLocally : undefined;
  });
  here.publish('message-due', 'mine');
  await publishAndWait('message-due', 'another');
  assert.ok(own.includes('mine'));
  assert.ok(!heard.includes('message-due mine'));
});

test('what is published while the connection of this process alone is away is told by the next one', async () => {
  await publishAndWait('device-changed', 'before the cut');
  const administrator = new pg.Client({ connectionString: database.url });
  await administrator.connect();
  const { rows } = await administrator.query(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'parley notifications'
     order by query like 'listen%', state_change desc`,
  );
  // Its last statement was a notification, the others' last was to listen.
  await administrator.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await administrator.end();
  here.publish('device-changed', 'during the cut');
  await eventually(async () => assert.ok(heard.includes('device-changed during the cut')));
});

test('whoever listens is told when notifications may have been missed', async () => {
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

test('more than a note holds goes out one note after the other', async () => {
  await publishAndWait('device-changed', 'before many');
  const warnings: string[] = [];
  const warned = ({ message }: Error) => void warnings.push(message);
  process.on('warning', warned);
  const ids = Array.from({ length: 250 }, (_, n) => `many-${n}`);
  for (const id of ids) here.publish('message-due', id);
  await eventually(async () =>
    assert.deepEqual(
      heard.filter((entry) => entry.includes('many-')),
      ids.map((id) => `message-due ${id}`),
    ),
  );
  process.off('warning', warned);
  // The driver would warn of a statement begun while another is under way.
  assert.deepEqual(warnings, []);
});

for (const what of ['a hint', 'nothing'] as const) {
  test(`with ${what} to tell, closing gives up on a connection that answers no more`, {
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

test('hints for a connection that answers no more are kept up to a limit', async (t) => {
  const line = await startBlackholeProxy(database.url);
  t.after(() => line.close());
  let notes = 0;
  const cutOff = start(line.url, () => {
    notes += 1;
  });
  const connected = Promise.withResolvers<void>();
  cutOff.onGap(connected.resolve);
  await connected.promise;
  line.dropTraffic();
  for (let n = 0; n < 10_000; n += 1) cutOff.publish('message-due', String(n));
  await eventually(async () => assert.equal(notes, 1));
  cutOff.publish('message-due', 'one too many');
  await cutOff.close();
  assert.equal(notes, 1);
});

test('closing ends the connection that was just being opened', { timeout: 10_000 }, async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const connecting = start(throughServer(database.url, silent));
  const [socket] = (await once(silent, 'connection')) as [Socket]; // what this event brings
  const ended = once(socket.resume(), 'close');
  await connecting.close();
  await ended;
});
