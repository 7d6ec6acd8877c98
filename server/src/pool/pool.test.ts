import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
import { connectionRoutes } from '../devices/connection.routes.ts';
import { deviceRoutes } from '../devices/devices.routes.ts';

const app = await startDevicesApp({ routes: (f) => [deviceRoutes(f), connectionRoutes(f)] });
const { db } = app.context;
const { network } = app;

async function linkedDevice(): Promise<{ id: string; phone: string; teamId: string }> {
  const ids = await addTeamWithBot(db);
  const id = await addDevice(app, ids);
  const phone = newPhone();
  await linkDevice(app, id, phone);
  return { id, phone, teamId: ids.teamId };
}

const readDevice = (id: string) =>
  db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('a pool', () => {
  test('releases its devices and their connections when it stops', async () => {
    const first = await app.startPool();
    const device = await linkedDevice();
    const stopped = await addDevice(app, await addTeamWithBot(db));
    const before = await readDevice(device.id);
    await first.close();
    const between = await app.api('GET', `/devices/${device.id}/status`);
    assert.equal(between.body.data.connected, false);
    assert.equal(between.body.data.status, 'started');
    assert.equal(between.body.data.last_disconnect_reason, 'pool_stopped');

    const second = await app.startPool();
    const status = await waitForDevice(app, device.id, ({ connected }) => connected === true);
    assert.equal(status['phone_number'], device.phone);
    const after = await readDevice(device.id);
    assert.equal(after.epoch, before.epoch + 1);
    assert.equal(after.pool_url, second.url);
    const shown = await app.api('GET', `/devices/${stopped}`);
    assert.equal(shown.body.data.pool_url, second.url, 'the second pool takes over a stopped device too');
    await second.close();
  });

  test('loses its connections before its lease expires and another pool takes over', async () => {
    const first = await app.startPool({ leaseSeconds: 1 });
    const device = await linkedDevice();
    await first.cutOff();
    const status = await waitForDevice(app, device.id, ({ connected }) => connected === false);
    assert.equal(status['last_disconnect_reason'], 'pool_lost');
    const second = await app.startPool({ leaseSeconds: 1 });
    await waitForDevice(app, device.id, ({ connected }) => connected === true);
    await network.write({ from: '+15550199', to: device.phone, text: 'hello' });
    await eventually(async () => {
      const { rows } =
        await sql`select from messages where device_id = ${device.id} and direction = 'in'`.execute(db);
      assert.equal(rows.length, 1);
    });
    await second.close();
  });

  test('takes over its devices again after its lease expired', async () => {
    const pool = await app.startPool({ leaseSeconds: 1 });
    const device = await linkedDevice();
    const before = await readDevice(device.id);
    await sql`update pools set lease_until = now() - interval '1 hour' where id = ${before.pool_id}`.execute(
      db,
    );
    await eventually(async () => assert.ok((await readDevice(device.id)).epoch > before.epoch));
    await waitForDevice(app, device.id, ({ connected }) => connected === true);
    assert.notEqual((await readDevice(device.id)).pool_id, before.pool_id);
    await pool.close();
  });

  test('takes over devices up to its capacity, started ones first', async () => {
    const first = await app.startPool();
    const device = await linkedDevice();
    const stopped = await addDevice(app, await addTeamWithBot(db));
    await first.close();
    const { rows } = await sql<{ others: number }>`
      select count(*) as others from devices where id not in (${device.id}, ${stopped}) and status = 'started'`.execute(
      db,
    );
    const started = (rows[0]?.others ?? 0) + 1;
    const small = await app.startPool({ capacity: started });
    await waitForDevice(app, device.id, ({ connected }) => connected === true);
    const host = await readDevice(device.id);
    assert.equal(host.pool_url, small.url);
    // Compares ids, because a new pool may get the port of an ended one.
    assert.notEqual((await readDevice(stopped)).pool_id, host.pool_id);
    const pool = await db
      .selectFrom('pools')
      .selectAll()
      .where('id', '=', host.pool_id)
      .executeTakeFirstOrThrow();
    assert.equal(pool.devices, started);
    const full = await app.api('POST', '/devices', {
      body: await addTeamWithBot(db).then(({ teamId, botId }) => ({
        team_id: teamId,
        bot_id: botId,
        name: 'x',
      })),
    });
    assert.equal(full.body.details.reason, 'pool_capacity');
    await small.close();
  });

  test('stops a device when no phone scans a code in time', async () => {
    const pool = await app.startPool({ pairingTimeoutMs: 300 });
    const id = await addDevice(app, await addTeamWithBot(db));
    await app.api('POST', `/devices/${id}/connect`);
    const status = await waitForDevice(app, id, (s) => s['status'] === 'stopped');
    assert.equal(status['last_disconnect_reason'], 'qr_timeout');
    assert.equal(status['qr_code'], undefined);
    await pool.close();
  });

  test('frees the capacity of devices that are deleted with their team', async () => {
    const pool = await app.startPool({ leaseSeconds: 1 });
    const device = await linkedDevice();
    const { pool_id: host } = await readDevice(device.id);
    await sql`delete from teams where id = ${device.teamId}`.execute(db);
    await eventually(async () => {
      const { rows } = await sql`
        select p.devices, count(d.id) as counted from pools p left join devices d on d.pool_id = p.id
        where p.id = ${host} group by p.id having p.devices <> count(d.id)`.execute(db);
      assert.deepEqual(rows, []);
    });
    await pool.close();
  });
});
