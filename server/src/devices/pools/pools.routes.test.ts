import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createApiClient } from '../../../test/api-client.ts';
import { addDevice, addTeamWithBot, linkDevice, newPhone, startDevicesApp } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { newId } from '../../platform/shared/ids.ts';
import { connectionRoutes } from '../connection.routes.ts';
import { deviceRoutes } from '../devices.routes.ts';
import { poolRoutes } from './pools.routes.ts';

const app = await startDevicesApp({
  routes: (f) => [deviceRoutes(f), connectionRoutes(f), poolRoutes(f)],
});
const { db } = app.context;

test('lists pools with their capacity, devices and leases, and a dead pool while it has devices', async () => {
  const team = await addTeamWithBot(db);
  const pool = await app.startPool({ capacity: 5, leaseSeconds: 15 });
  const connected = await addDevice(app, team);
  await linkDevice(app, connected, newPhone());
  await addDevice(app, team);
  const { data: listed, meta } = (await app.api('GET', '/pools')).body;
  assert.deepEqual([listed.length, meta], [1, { page: 1, limit: 20, total: 1, totalPages: 1 }]);
  const {
    id: _,
    lease_age_seconds: age,
    lease_remaining_seconds: remaining,
    started_at,
    ...rest
  } = listed[0];
  assert.deepEqual(rest, {
    url: pool.url,
    capacity: 5,
    devices: 2,
    connected: 1,
    alive: true,
    draining: false,
  });
  assert.ok(Math.abs(age + remaining - 15) < 0.2 && remaining > 0, JSON.stringify(listed));
  assert.ok(Date.parse(started_at) <= Date.now());

  await pool.cutOff();
  await sql`update pools set lease_until = now() - interval '1 minute'`.execute(db);
  const [dead] = (await app.api('GET', '/pools')).body.data;
  assert.deepEqual(
    [dead.alive, dead.connected, dead.devices, dead.lease_remaining_seconds],
    [false, 0, 2, 0],
  );
  await sql`update pools set ended = true`.execute(db);
  const small = await app.startPool({ capacity: 1 });
  await eventually(async () => {
    const { data } = (await app.api('GET', '/pools')).body;
    const devices = data.map((row: { url: string; devices: number }) => [row.url, row.devices]);
    assert.deepEqual(devices, [
      [small.url, 1],
      [pool.url, 1],
    ]);
  });
  const second = (await app.api('GET', '/pools?limit=1&page=2')).body;
  assert.deepEqual([second.data[0].url, second.data.length], [pool.url, 1]);
  assert.deepEqual(second.meta, { page: 2, limit: 1, total: 2, totalPages: 2 });
  await sql`update pools set started_at = '2026-03-01'`.execute(db);
  const ids = (await app.api('GET', '/pools')).body.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids, ids.toSorted().reverse(), 'pools with the same start time are ordered by id');
  for (const query of ['page=0', 'limit=0', 'limit=101', 'page=x', 'alive=true']) {
    assert.equal((await app.api('GET', `/pools?${query}`)).status, 400, query);
  }
});

test('drains a pool, whose devices move to another one', async () => {
  await sql`update pools set ended = true, lease_until = now() - interval '1 minute'`.execute(db);
  const team = await addTeamWithBot(db);
  const pool = await app.startPool({ capacity: 3, leaseSeconds: 1 });
  await linkDevice(app, await addDevice(app, team), newPhone());
  const find = async (url: string) => {
    const { data } = (await app.api('GET', '/pools')).body;
    return data.find((row: { url: string }) => row.url === url);
  };
  const { id } = await find(pool.url);
  const { status, body } = await app.api('POST', `/pools/${id}/drain`);
  assert.deepEqual([status, body.data.draining], [200, true]);
  const other = await app.startPool({ capacity: 50 });
  await eventually(async () => assert.equal((await find(pool.url)).devices, 0));
  assert.ok((await find(other.url)).devices > 0);
  const unknown = await app.api('POST', `/pools/${newId()}/drain`);
  assert.deepEqual([unknown.status, unknown.body.details.reason], [404, 'pool_not_found']);
});

test("rejects a team's key with 403", async () => {
  const { teamId } = await addTeamWithBot(db);
  const { token } = await app.issueKey({ teamId });
  const api = await createApiClient(app.baseUrl, token);
  const { status, body } = await api('GET', '/pools');
  assert.deepEqual([status, body.code], [403, 'FORBIDDEN']);
});
