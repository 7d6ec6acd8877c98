import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTeamWithBot, codeOf, newPhone, startDevicesApp, untilDevice } from '../../test/devices.ts';
import { connectionRoutes } from './connection.routes.ts';
import { deviceRoutes } from './devices.routes.ts';

const app = await startDevicesApp({ routes: (f) => [deviceRoutes(f), connectionRoutes(f)] });
await app.startPool();
const { network } = app;

test('a device goes from created over its QR code and the scan to connected', async () => {
  const ids = await addTeamWithBot(app.foundations.db);
  const phone = newPhone();
  const created = await app.api('POST', '/devices', {
    body: { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' },
  });
  assert.equal(created.status, 200);
  const device = created.body.data;
  assert.equal(device.status, 'stopped');
  assert.equal(device.type, 'messaging');
  assert.equal(device.connected, false);
  assert.match(device.pool_url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(device.token, /^dt_[\w-]{43}$/);

  const connected = await app.api('POST', `/devices/${device.id}/connect`);
  assert.deepEqual(connected.body.data, {
    device_id: device.id,
    status: 'started',
    message: 'Scan the QR code with the phone to link.',
  });
  const waiting = await app.api('GET', `/devices/${device.id}/status`);
  assert.match(waiting.body.data.qr_code, /^data:image\/png;base64,/);
  assert.equal(waiting.headers.get('cache-control'), 'no-store');
  assert.equal(waiting.body.data.phone_number, null);

  assert.equal(await network.scan(await codeOf(app.foundations.db, device.id), phone), 200);
  const status = await untilDevice(app, device.id, (s) => s['connected'] === true);
  assert.equal(status['phone_number'], phone);
  assert.equal(status['logged_in'], true);
  assert.equal(status['qr_code'], undefined);
});
