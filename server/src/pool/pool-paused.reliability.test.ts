import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  addDevice,
  addTeamWithBot,
  linkDevice,
  newPhone,
  startDevicesApp,
  waitForDevice,
} from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { poolProcesses } from '../../test/pool-processes.ts';
import { sendRoutes } from '../chat/messages/send.routes.ts';
import { connectionRoutes } from '../devices/connection.routes.ts';
import { deviceRoutes } from '../devices/devices.routes.ts';

const contact = '+15550199';
const leaseSeconds = 3;
const sources = {
  fetchImage: () => Promise.reject(new Error('no image is sent here')),
  synthesize: null,
  rewrite: null,
};
const app = await startDevicesApp({
  routes: (f) => [deviceRoutes(f), connectionRoutes(f), sendRoutes({ ...f, sources, outcomeTimeoutMs: 50 })],
});
const { db } = app.context;
const startPoolProcess = await poolProcesses({ ...app, leaseSeconds });

const ownerOf = async (id: string) => {
  const { rows } = await sql<{ pool_id: string; epoch: number }>`
    select pool_id, epoch from devices where id = ${id}`.execute(db);
  return rows[0];
};

/** Pools of the first test, still running. */
const earlierPools: Awaited<ReturnType<typeof startPoolProcess>>[] = [];

/** Returns the transaction that last wrote each row of the device's session. */
const lastWrites = async (id: string) => {
  const { rows } = await sql<{ row: string }>`
    select 'device ' || xmin as row from devices where id = ${id}
    union all select 'session ' || xmin from device_sessions where device_id = ${id}
    union all select 'message ' || id || xmin from messages where device_id = ${id}
    union all select 'conversation ' || id || xmin from conversations where device_id = ${id}
    order by 1`.execute(db);
  return rows.map(({ row }) => row);
};

test('another pool takes over from a pool paused longer than its lease, which then writes and sends nothing', async () => {
  const paused = await startPoolProcess();
  earlierPools.push(paused);
  const device = await addDevice(app, await addTeamWithBot(db));
  const phone = newPhone();
  await linkDevice(app, device, phone);
  const before = await ownerOf(device);
  paused.child.kill('SIGSTOP');
  // Both messages reach the paused process: one through its socket, one through a notification.
  await app.network.write({ from: contact, to: phone, text: 'hello' });
  const sent = await app.api('POST', '/send', {
    body: { device_id: device, message: 'once', destination_number: contact },
  });
  assert.equal(sent.body.data.status, 'accepted');
  await waitForDevice(app, device, ({ connected }) => connected === false);
  const listed = await app.api('GET', '/devices?connected=true');
  assert.deepEqual(listed.body.data, [], 'no device of a dead pool is connected');

  earlierPools.push(await startPoolProcess());
  await waitForDevice(app, device, ({ connected }) => connected === true, 20_000);
  await eventually(async () => {
    const { rows } = await sql`
      select from messages where device_id = ${device} and status in ('received', 'ignored', 'delivered')`.execute(
      db,
    );
    assert.equal(rows.length, 2);
  });
  const after = await ownerOf(device);
  assert.equal(after?.epoch, (before?.epoch ?? 0) + 1);
  const written = await lastWrites(device);

  paused.child.kill('SIGCONT');
  // The process has recovered once it holds a lease again and has renewed it.
  const renewals = async () => {
    const { rows } = await sql<{ until: Date }>`
      select lease_until as until from pools where lease_until > now() and not draining order by id`.execute(
      db,
    );
    assert.equal(rows.length, 2);
    return rows.map(({ until }) => until.getTime());
  };
  const first = await eventually(renewals);
  await eventually(async () => assert.ok((await renewals()).every((until, n) => until > (first[n] ?? 0))));
  assert.deepEqual(await ownerOf(device), after);
  assert.deepEqual(await lastWrites(device), written);
  const received = await app.network.received(contact, phone);
  assert.deepEqual(
    received.map(({ text, copies }) => [text, copies]),
    [['once', 1]],
  );
});

test('a pool keeps its devices through a pause of half a lease', async () => {
  const pools = [await startPoolProcess(), await startPoolProcess()];
  const device = await addDevice(app, await addTeamWithBot(db));
  await linkDevice(app, device, newPhone());
  const readLease = async () => {
    const { rows } = await sql<{ url: string; epoch: number; until: Date }>`
      select p.url, d.epoch, p.lease_until as until from devices d join pools p on p.id = d.pool_id
      where d.id = ${device}`.execute(db);
    return rows[0] ?? assert.fail('the device has no pool');
  };
  const before = await readLease();
  const owner = [...pools, ...earlierPools].find(({ addresses }) => addresses.pool === before.url);
  assert.ok(owner);
  for (let pause = 0; pause < 2; pause += 1) {
    owner.child.kill('SIGSTOP');
    await delay((leaseSeconds * 1000) / 2);
    const { until } = await readLease();
    owner.child.kill('SIGCONT');
    await eventually(async () => assert.ok((await readLease()).until > until, 'the lease is renewed'));
    const { url, epoch } = await readLease();
    assert.deepEqual({ url, epoch }, { url: before.url, epoch: before.epoch });
    await waitForDevice(app, device, ({ connected }) => connected === true);
  }
});
