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
import { poolProcesses } from '../../test/pool-processes.ts';
import { sendRoutes } from '../chat/messages/send.routes.ts';
import { connectionRoutes } from '../devices/connection.routes.ts';
import { deviceRoutes } from '../devices/devices.routes.ts';

const contact = '+15550199';
const sources = {
  fetchImage: () => Promise.reject(new Error('no image is sent here')),
  synthesize: null,
  rewrite: null,
};

const app = await startDevicesApp({
  routes: (f) => [deviceRoutes(f), connectionRoutes(f), sendRoutes({ ...f, sources, outcomeTimeoutMs: 200 })],
});
const { db } = app.context;
const startPoolProcess = await poolProcesses({ ...app, leaseSeconds: 1 });

test('another pool takes over from a killed pool process, and a message in delivery is sent once', async () => {
  const first = await startPoolProcess();
  const device = await addDevice(app, await addTeamWithBot(db));
  const phone = newPhone();
  await linkDevice(app, device, phone);
  // The network gets the message, but the process is killed before the acknowledgement.
  await app.network.fault(phone, 'lose_ack_next');
  const sent = await app.api('POST', '/send', {
    body: { device_id: device, message: 'once', destination_number: contact },
  });
  assert.equal(sent.body.data.status, 'accepted');
  first.child.kill('SIGKILL');
  await first.ended;

  const second = await startPoolProcess();
  await waitForDevice(app, device, ({ connected }) => connected === true, 20_000);
  await eventually(async () => {
    const { rows } = await sql<{ status: string }>`
      select status from messages where id = ${sent.body.data.messageId}`.execute(db);
    assert.notEqual(rows[0]?.status, 'accepted');
  }, 20_000);
  const received = await app.network.received(contact, phone);
  assert.deepEqual(
    received.map(({ text }) => text),
    ['once'],
  );
  second.child.kill('SIGTERM');
  assert.equal(await second.ended, 0);
});
