import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import { addWebsite } from '../../test/web-visitor.ts';
import { connectionRoutes } from '../devices/connection.routes.ts';
import { deviceRoutes } from '../devices/devices.routes.ts';
import { poolKey } from './pool-key.ts';

const app = await startDevicesApp({ routes: (f) => [deviceRoutes(f), connectionRoutes(f)] });
const { db, encryption } = app.context;

const drain = async ({ url }: { url: string }) => {
  const response = await fetch(`${url}/drain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${poolKey(encryption)}` },
  });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: { draining: boolean; devices: number; connected: number } })
    .data;
};

const readPoolUrl = async (id: string) =>
  (await sql<{ url: string }>`select pool_url as url from devices where id = ${id}`.execute(db)).rows[0]?.url;

const assertCountsAreExact = async () => {
  const { rows } = await sql`
    select p.url, p.devices, count(d.id) from pools p left join devices d on d.pool_id = p.id
    group by p.id having p.devices <> count(d.id)`.execute(db);
  assert.deepEqual(rows, []);
};

const team = await addTeamWithBot(db);

test('a draining pool accepts no devices and moves those that other pools have capacity for', async () => {
  const pool = await app.startPool({ capacity: 3, leaseSeconds: 2 });
  const connected = [await addDevice(app, team), await addDevice(app, team)];
  const phones = [newPhone(), newPhone()];
  for (const [index, id] of connected.entries()) await linkDevice(app, id, phones[index] ?? '');
  const stopped = await addDevice(app, team);
  assert.deepEqual(await drain(pool), { draining: true, devices: 3, connected: 2 });
  const refused = await app.api('POST', '/devices', {
    body: { team_id: team.teamId, bot_id: team.botId, name: 'one more' },
  });
  assert.equal(refused.body.details.reason, 'pool_capacity');
  assert.deepEqual(
    await drain(pool),
    { draining: true, devices: 3, connected: 2 },
    'no other pool has capacity',
  );

  const small = await app.startPool({ capacity: 2, leaseSeconds: 2 });
  await eventually(async () => assert.equal((await drain(pool)).devices, 1));
  assert.equal(await readPoolUrl(stopped), small.url, 'devices without a connection move first');
  await eventually(async () => {
    const { rows } = await sql`select from devices where connected`.execute(db);
    assert.equal(rows.length, 2, 'both the remaining and the moved device are connected');
  });

  const large = await app.startPool({ capacity: 10, leaseSeconds: 2 });
  await eventually(async () =>
    assert.deepEqual(await drain(pool), { draining: true, devices: 0, connected: 0 }),
  );
  for (const id of connected) {
    await waitForDevice(app, id, (status) => status['connected'] === true);
    assert.ok([small.url, large.url].includes((await readPoolUrl(id)) ?? ''));
  }
  await assertCountsAreExact();
  await pool.close();
  await Promise.all([small.close(), large.close()]);
});

test('a draining pool does not wait for the locked row of another pool', async () => {
  const pool = await app.startPool({ capacity: 50 });
  const device = await addDevice(app, team);
  const [locked, free] = [await app.startPool({ capacity: 99 }), await app.startPool({ capacity: 60 })];
  await db.transaction().execute(async (tx) => {
    await sql`select from pools where url = ${locked.url} for update`.execute(tx);
    await drain(pool);
    await eventually(async () => assert.equal(await readPoolUrl(device), free.url), 5000);
  });
  await assertCountsAreExact();
  for (const each of [pool, locked, free]) await each.close();
  await sql`delete from devices`.execute(db);
});

test('a device moves between pools whatever its network', async () => {
  const pool = await app.startPool();
  const phone = await addDevice(app, team);
  await linkDevice(app, phone, newPhone());
  const { deviceId: website } = await addWebsite(app, team);
  const other = await app.startPool();
  assert.deepEqual(await drain(pool), { draining: true, devices: 2, connected: 2 });
  for (const id of [phone, website]) {
    await eventually(async () => assert.equal(await readPoolUrl(id), other.url));
    await waitForDevice(app, id, ({ connected }) => connected === true);
  }
  await pool.close();
  await other.close();
  await sql`delete from devices`.execute(db);
});

test('a stopping pool moves its started devices to other pools first, and these take over the stopped ones', async () => {
  const pool = await app.startPool();
  const started = await addDevice(app, team);
  await linkDevice(app, started, newPhone());
  const stopped = await addDevice(app, team);
  const other = await app.startPool();
  await pool.close();
  const { rows } = await sql<{ url: string; reason: string }>`
    select pool_url as url, last_disconnect_reason as reason from devices where id = ${started}`.execute(db);
  assert.deepEqual(rows, [{ url: other.url, reason: 'pool_drained' }]);
  await waitForDevice(app, started, (status) => status['connected'] === true);
  await eventually(async () => assert.equal(await readPoolUrl(stopped), other.url));
  await eventually(assertCountsAreExact); // the row of a stopped pool goes after its devices
  await other.close();
  await sql`delete from devices`.execute(db);
});

test('a draining pool takes a new lease and keeps devices that no other pool can take', async () => {
  const pool = await app.startPool({ capacity: 20, leaseSeconds: 1 });
  const id = await addDevice(app, team);
  await linkDevice(app, id, newPhone());
  await drain(pool);
  await sql`update pools set lease_until = now() - interval '1 hour' where url = ${pool.url}`.execute(db);
  const { rows } = await sql<{ epoch: number }>`select epoch from devices where id = ${id}`.execute(db);
  await eventually(async () => {
    const now = await sql<{ epoch: number }>`select epoch from devices where id = ${id}`.execute(db);
    assert.ok((now.rows[0]?.epoch ?? 0) > (rows[0]?.epoch ?? 0));
  });
  await waitForDevice(app, id, ({ connected }) => connected === true);
  assert.equal(await readPoolUrl(id), pool.url);
  assert.equal((await drain(pool)).devices >= 1, true);
  await pool.close();
});
