import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  addDevice,
  addTeamWithBot,
  linkDevice,
  newPhone,
  readQrText,
  startDevicesApp,
  waitForDevice,
} from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { waitForLockWaiter } from '../../test/lock-waits.ts';
import { connectionRoutes } from './connection.routes.ts';
import { deviceRoutes } from './devices.routes.ts';

const app = await startDevicesApp({ routes: (f) => [deviceRoutes(f), connectionRoutes(f)] });
const { db } = app.context;
const { network } = app;
await app.startPool();

/** Creates a device in a state. Returns its id and the phone that is, or would be, linked. */
type Arrange = () => Promise<{ id: string; phone: string }>;

const added: Arrange = async () => {
  const ids = await addTeamWithBot(db);
  return { id: await addDevice(app, ids), phone: newPhone() };
};

const waiting: Arrange = async () => {
  const device = await added();
  await app.api('POST', `/devices/${device.id}/connect`);
  return device;
};

const linked: Arrange = async () => {
  const device = await added();
  await linkDevice(app, device.id, device.phone);
  return device;
};

const stoppedWithLink: Arrange = async () => {
  const device = await linked();
  await app.api('POST', `/devices/${device.id}/stop`);
  return device;
};

const blocked: Arrange = async () => {
  const device = await linked();
  await network.fault(device.phone, 'ban');
  await waitForDevice(app, device.id, ({ status }) => status === 'stopped');
  return device;
};

const banned: Arrange = async () => {
  const device = await added();
  await sql`update teams set banned = true where id = (select team_id from devices where id = ${device.id})`.execute(
    db,
  );
  return device;
};

/** The transitions of Device `status`, extensions included: the result of each operation. */
const table: {
  from: string;
  arrange: Arrange;
  call: [method: string, path: string];
  status: number;
  reason?: string;
  leaves: { status: string; logged_in: boolean; connected?: boolean } | 'nothing';
}[] = [
  {
    from: 'stopped',
    arrange: added,
    call: ['POST', '/connect'],
    status: 200,
    leaves: { status: 'started', logged_in: false, connected: false },
  },
  { from: 'stopped', arrange: added, call: ['DELETE', ''], status: 200, leaves: 'nothing' },
  {
    from: 'stopped',
    arrange: added,
    call: ['POST', '/stop'],
    status: 200,
    leaves: { status: 'stopped', logged_in: false },
  },
  {
    from: 'stopped',
    arrange: added,
    call: ['POST', '/logout'],
    status: 200,
    leaves: { status: 'stopped', logged_in: false },
  },
  {
    from: 'showing a code',
    arrange: waiting,
    call: ['POST', '/connect'],
    status: 400,
    reason: 'device_not_stopped',
    leaves: { status: 'started', logged_in: false },
  },
  {
    from: 'showing a code',
    arrange: waiting,
    call: ['DELETE', ''],
    status: 400,
    reason: 'device_not_stopped',
    leaves: { status: 'started', logged_in: false },
  },
  {
    from: 'showing a code',
    arrange: waiting,
    call: ['POST', '/stop'],
    status: 200,
    leaves: { status: 'stopped', logged_in: false },
  },
  {
    from: 'connected',
    arrange: linked,
    call: ['POST', '/connect'],
    status: 400,
    reason: 'device_not_stopped',
    leaves: { status: 'started', logged_in: true, connected: true },
  },
  {
    from: 'connected',
    arrange: linked,
    call: ['DELETE', ''],
    status: 400,
    reason: 'device_not_stopped',
    leaves: { status: 'started', logged_in: true, connected: true },
  },
  {
    from: 'connected',
    arrange: linked,
    call: ['POST', '/stop'],
    status: 200,
    leaves: { status: 'stopped', logged_in: true, connected: false },
  },
  {
    from: 'connected',
    arrange: linked,
    call: ['POST', '/logout'],
    status: 200,
    leaves: { status: 'stopped', logged_in: false, connected: false },
  },
  {
    from: 'stopped with a link',
    arrange: stoppedWithLink,
    call: ['POST', '/connect'],
    status: 200,
    leaves: { status: 'started', logged_in: true, connected: true },
  },
  {
    from: 'stopped with a link',
    arrange: stoppedWithLink,
    call: ['DELETE', ''],
    status: 200,
    leaves: 'nothing',
  },
  {
    from: 'refused by the network',
    arrange: blocked,
    call: ['POST', '/connect'],
    status: 400,
    reason: 'blocked',
    leaves: { status: 'stopped', logged_in: false },
  },
  {
    from: 'stopped, its team banned',
    arrange: banned,
    call: ['POST', '/connect'],
    status: 400,
    reason: 'team_banned',
    leaves: { status: 'stopped', logged_in: false },
  },
];

describe('a device', () => {
  for (const { from, arrange, call, status, reason, leaves } of table) {
    const [method, path] = call;
    const becomes = leaves === 'nothing' ? 'is gone' : `is ${leaves.status}`;
    test(`in state ${from} returns ${reason ?? status} for ${method} ${path} and becomes ${becomes}`, async () => {
      const { id } = await arrange();
      const answer = await app.api(method, `/devices/${id}${path}`);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(answer.body.details?.reason, reason);
      const left = await app.api('GET', `/devices/${id}/status`);
      if (leaves === 'nothing') return assert.equal(left.status, 404);
      for (const [member, value] of Object.entries(leaves))
        assert.equal(left.body.data[member], value, member);
      assert.equal('qr_code' in left.body.data, leaves.status === 'started' && !leaves.logged_in);
    });
  }

  test('stays stopped when its team is banned during a connect request', async () => {
    const { id } = await added();
    const connecting = await db.transaction().execute(async (tx) => {
      await sql`update teams set banned = true where id = (select team_id from devices where id = ${id})`.execute(
        tx,
      );
      const answer = app.api('POST', `/devices/${id}/connect`);
      await waitForLockWaiter(db, 'from teams');
      return { answer };
    });
    assert.equal((await connecting.answer).body.details?.reason, 'team_banned');
    const { body } = await app.api('GET', `/devices/${id}/status`);
    assert.equal(body.data.status, 'stopped');
  });

  test('reconnects after a stop with its stored credentials, without a code', async () => {
    const { id, phone } = await stoppedWithLink();
    const { body } = await app.api('POST', `/devices/${id}/connect`);
    assert.equal(body.data.message, `Connected as ${phone}.`);
  });

  test('is unlinked from its phone when it is deleted, and its credentials are removed', async () => {
    const { id, phone } = await stoppedWithLink();
    await app.api('DELETE', `/devices/${id}`);
    await eventually(async () => {
      const { rows } = await sql`
        select ref from tombstones where ref = ${id} union all
        select kind from device_sessions where device_id = ${id}`.execute(db);
      assert.deepEqual(rows, []);
    });
    const other = await added();
    await linkDevice(app, other.id, phone);
  });

  test('shows a new code after a logout once it is unlinked', async () => {
    const { id, phone } = await linked();
    await app.api('POST', `/devices/${id}/logout`);
    const { body } = await app.api('POST', `/devices/${id}/connect`);
    assert.equal(body.data.message, 'Scan the QR code with the phone that you want to link.');
    assert.equal(await network.scan(await readQrText(db, id), phone), 200);
    await waitForDevice(app, id, ({ connected }) => connected === true);
  });

  test('stops when its phone unlinks it, and can be linked again', async () => {
    const { id, phone } = await linked();
    await network.fault(phone, 'logout');
    const status = await waitForDevice(app, id, (s) => s['status'] === 'stopped');
    assert.equal(status['last_disconnect_reason'], 'logged_out');
    assert.equal(status['logged_in'], false);
    const { rows } = await sql`select from device_sessions where device_id = ${id}`.execute(db);
    assert.equal(rows.length, 0);
    await linkDevice(app, id, phone);
  });

  test('reports a lost connection and reconnects', async () => {
    const { id, phone } = await linked();
    const before = new Date();
    await network.fault(phone, 'drop');
    const status = await waitForDevice(app, id, (s) => s['last_disconnect_reason'] === 'connection_lost');
    assert.equal(status['status'], 'started');
    assert.ok(new Date(String(status['last_disconnect_at'])) >= new Date(before.getTime() - 1000));
    await waitForDevice(app, id, ({ connected }) => connected === true);
  });

  for (const reason of ['suspended', 'client_outdated', 'unavailable']) {
    test(`keeps the link and waits when the network refuses the connection as ${reason}`, async () => {
      const { id, phone } = await linked();
      await network.fault(phone, reason, { ms: 600_000 });
      const status = await waitForDevice(app, id, (s) => s['last_disconnect_reason'] === reason);
      assert.deepEqual([status['status'], status['logged_in']], ['started', true]);
      assert.match(String(status['message']), /network/);
      const restrictions = status['restrictions'] as { kind: string; until: string }[];
      assert.deepEqual(
        restrictions.map(({ kind }) => kind),
        reason === 'suspended' ? ['suspended'] : [],
      );
      for (const { until } of restrictions) assert.ok(new Date(until) > new Date());
    });
  }

  test('rejects a phone that is linked to another device', async () => {
    const first = await linked();
    const second = await waiting();
    assert.equal(await network.scan(await readQrText(db, second.id), first.phone), 400);
    const status = await waitForDevice(app, second.id, (s) => s['status'] === 'stopped');
    assert.equal(status['last_disconnect_reason'], 'phone_in_use');
    assert.equal(status['logged_in'], false);
    const { body } = await app.api('GET', `/devices/${first.id}/status`);
    assert.equal(body.data.connected, true);
  });
});
