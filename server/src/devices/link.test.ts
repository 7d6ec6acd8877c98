import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import { connectionRoutes } from './connection.routes.ts';
import { deviceRoutes } from './devices.routes.ts';
import { linkRoutes } from './link.routes.ts';

const app = await startDevicesApp({
  routes: (context) => [
    deviceRoutes(context),
    connectionRoutes(context),
    linkRoutes({ ...context, baseUrl: 'https://parley.example/', outbox: null, credentials: context }),
  ],
});
await app.startPool();
const { db } = app.context;

async function addLinkableDevice() {
  const ids = await addTeamWithBot(db);
  return { ...ids, id: await addDevice(app, ids) };
}

async function createLink(deviceId: string): Promise<string> {
  const { status, body, headers } = await app.api('POST', `/devices/${deviceId}/link`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(headers.get('cache-control'), 'no-store');
  const [, token = ''] = /^https:\/\/parley\.example\/console\/link#([\w-]{43})$/.exec(body.data.url) ?? [];
  assert.notEqual(token, '', body.data.url);
  const lasts = (Date.parse(body.data.expires_at) - Date.now()) / 60_000;
  assert.ok(lasts > 9 && lasts < 11, `${lasts} minutes`);
  return token;
}

const call = (action: 'status' | 'connect', token: string) =>
  app.api('POST', `/api/openapi/link/${action}`, { token: null, body: { token } });

test('leads a person without a key from the QR code to the linked phone', async () => {
  const { id } = await addLinkableDevice();
  const token = await createLink(id);
  assert.equal((await call('status', token)).body.data.state, 'stopped');

  const connected = await call('connect', token);
  assert.equal(connected.headers.get('cache-control'), 'no-store');
  assert.equal(connected.body.data.state, 'scan');
  assert.equal(connected.body.data.device_name, 'Desk');
  assert.match(connected.body.data.qr_code, /^data:image\/png;base64,/);
  assert.equal((await call('connect', token)).body.data.state, 'scan', 'a second call changes nothing');

  assert.equal(await app.network.scan(await readQrText(db, id), newPhone()), 200);
  await waitForDevice(app, id, (device) => device['connected'] === true);
  const { data } = (await call('status', token)).body;
  assert.equal(data.state, 'linked');
  assert.equal('qr_code' in data, false);
});

test('shows the pairing code of a device that waits for one, but not the number', async () => {
  const { id } = await addLinkableDevice();
  const token = await createLink(id);
  await sql`
    update devices set status = 'started', pairing_phone_number = '+15550123', qr_text = 'ABCD-1234',
                       qr_expires_at = now() + interval '1 minute' where id = ${id}`.execute(db);

  const { body } = await call('status', token);

  assert.deepEqual([body.data.state, body.data.pairing_code], ['pair', 'ABCD-1234']);
  assert.equal('qr_code' in body.data, false);
  assert.match(body.data.message, /^Enter the pairing code on the phone: /);
  assert.equal(JSON.stringify(body).includes('5550123'), false);
});

for (const polls of [true, false])
  test(`shows no QR code once a phone was linked, even after it is unlinked, ${polls ? 'with' : 'without'} a poll`, async () => {
    const { id } = await addLinkableDevice();
    const token = await createLink(id);
    await linkDevice(app, id, newPhone());
    if (polls) assert.equal((await call('status', token)).body.data.state, 'linked');
    await app.api('POST', `/devices/${id}/logout`);
    await waitForDevice(app, id, (device) => device['status'] === 'stopped');

    for (const action of ['status', 'connect'] as const) {
      const { data } = (await call(action, token)).body;
      assert.equal(data.state, 'linked');
      assert.equal('qr_code' in data, false);
    }
    assert.equal((await app.api('GET', `/devices/${id}/status`)).body.data.status, 'stopped');
    await app.api('POST', `/devices/${id}/connect`);
    await waitForDevice(app, id, (device) => device['qr_code'] !== undefined);
    assert.equal('qr_code' in (await call('status', token)).body.data, false);
  });

test('refuses expired, replaced, deleted and invented links with the same 404', async () => {
  const { id } = await addLinkableDevice();
  const replaced = await createLink(id);
  const expired = await createLink(id);
  assert.equal((await call('status', expired)).status, 200);
  await sql`update device_links set expires_at = now() where device_id = ${id}`.execute(db);
  const removed = await addLinkableDevice();
  const deleted = await createLink(removed.id);
  await app.api('DELETE', `/devices/${removed.id}`);

  for (const token of [replaced, expired, deleted, 'a'.repeat(43)]) {
    for (const action of ['status', 'connect'] as const) {
      const { status, body } = await call(action, token);
      assert.equal(status, 404);
      assert.equal(body.details.reason, 'link_not_found');
    }
  }
});

test('creates no link for a linked or blocked device, a suspended team and a key of another team', async () => {
  const { id, teamId } = await addLinkableDevice();
  const other = await addLinkableDevice();
  const { token } = await app.issueKey({ teamId: other.teamId });
  assert.equal((await app.api('POST', `/devices/${id}/link`, { token })).status, 404);
  assert.equal((await app.api('POST', `/devices/${id}/link`, { token: null })).status, 401);

  const phone = newPhone();
  await linkDevice(app, id, phone);
  const linked = await app.api('POST', `/devices/${id}/link`);
  assert.equal(linked.status, 400);
  assert.equal(linked.body.details.reason, 'device_linked');

  await sql`update teams set banned = true where id = ${teamId}`.execute(db);
  assert.equal((await app.api('POST', `/devices/${id}/link`)).body.details.reason, 'team_banned');
  await app.network.fault(phone, 'ban');
  await waitForDevice(app, id, (device) => device['status'] === 'stopped');
});

test('stores no link from which the address could be read', async () => {
  const { id } = await addLinkableDevice();
  const token = await createLink(id);
  const { rows } = await sql<{ row: string }>`select link::text as row from device_links link`.execute(db);
  assert.ok(rows.length > 0);
  for (const { row } of rows) {
    assert.ok(!row.includes(token));
    assert.ok(!row.includes(Buffer.from(token, 'base64url').toString('hex')));
  }
});

test('lives as long as it was asked to, until it is ended', async () => {
  const { id } = await addLinkableDevice();
  const create = (body: object) => app.api('POST', `/devices/${id}/link`, { body });
  const { body } = await create({ expires_in: 259_200 });
  assert.ok(Date.parse(body.data.expires_at) - Date.now() > 71 * 3_600_000);
  for (const refused of [599, 259_201, 600.5, '600'])
    assert.equal((await create({ expires_in: refused })).status, 400, String(refused));
  const token = body.data.url.split('#')[1];
  assert.equal((await call('status', token)).status, 200);
  assert.equal((await app.api('DELETE', `/devices/${id}/link`)).status, 200);
  assert.equal((await call('status', token)).status, 404);
  assert.equal((await app.api('DELETE', `/devices/${id}/link`)).status, 200, 'again');
  const stranger = await app.issueKey({ teamId: (await addTeamWithBot(db)).teamId });
  assert.equal((await app.api('DELETE', `/devices/${id}/link`, { token: stranger.token })).status, 404);
});

test('tells a code that ended unused from a device that somebody stopped', async () => {
  const { id } = await addLinkableDevice();
  const token = await createLink(id);
  const timedOut = async () => (await call('status', token)).body.data.timed_out;
  assert.equal(await timedOut(), false);
  await sql`update devices set last_disconnect_reason = 'qr_timeout' where id = ${id}`.execute(db);
  assert.equal(await timedOut(), true);
  assert.equal((await call('connect', token)).body.data.timed_out, false);
  await app.api('POST', `/devices/${id}/stop`);
  assert.equal(await timedOut(), false);
});

test('refuses to mail a link without a mail server', async () => {
  const { id } = await addLinkableDevice();
  const kept = await createLink(id);
  const { status, body } = await app.api('POST', `/devices/${id}/link`, {
    body: { email: 'cy@example.com' },
  });
  assert.deepEqual([status, body.details.reason], [400, 'mail_not_configured']);
  assert.equal((await call('status', kept)).status, 200);
});

test('takes the number of the phone only on a network that has codes for it', async () => {
  const { id } = await addLinkableDevice();
  const token = await createLink(id);
  assert.equal((await call('status', token)).body.data.pairing, false);
  const { status, body } = await app.api('POST', '/api/openapi/link/connect', {
    token: null,
    body: { token, pairing_phone_number: '+15550123' },
  });
  assert.deepEqual([status, body.details.reason], [400, 'pairing_code_unsupported']);
});

test('limits the polls of a link and the guesses of an address', async () => {
  const { id } = await addLinkableDevice();
  const token = await createLink(id);
  const polls = await Promise.all(Array.from({ length: 130 }, () => call('status', token)));
  const refused = polls.filter(({ status }) => status === 429);
  assert.equal(refused.length, 10);
  assert.ok(Number(refused[0]?.headers.get('retry-after')) > 0);
  assert.match(refused[0]?.body.error, /^Too many requests with this link; retry in \d+ s$/);

  const guesses = await Promise.all(Array.from({ length: 70 }, () => call('status', 'b'.repeat(43))));
  const refusedGuesses = guesses.filter(({ status }) => status === 429);
  assert.ok(refusedGuesses.length >= 10);
  assert.match(refusedGuesses[0]?.body.error, /^Too many requests with this address; retry in \d+ s$/);
  const next = await addLinkableDevice();
  assert.equal((await call('status', await createLink(next.id))).status, 200, 'a valid link still works');
});
