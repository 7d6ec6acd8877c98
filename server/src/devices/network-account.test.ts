import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newPerson, putCredentials, startCloudApp } from '../../test/cloud-numbers.ts';
import { addDevice, addTeamWithBot, waitForDevice } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';

const app = await startCloudApp();
const { api, graph } = app;
const { db } = app.context;
await app.startPool();

const addStoppedDevice = async () => {
  const ids = await addTeamWithBot(db);
  return { ...ids, deviceId: await addDevice(app, { ...ids, network: 'whatsapp_cloud' }) };
};

const readTexts = async (deviceId: string): Promise<string[]> => {
  const { body } = await api('GET', `/messages?device_id=${deviceId}&direction=in`);
  return body.data.map(({ text }: { text: string }) => text).toReversed();
};

test('stores credentials sealed, returns no secret, and connects with them', async () => {
  const { deviceId } = await addStoppedDevice();
  const credentials = await graph.addNumber('15550201000');
  const before = await api('GET', `/devices/${deviceId}`);
  assert.deepEqual([before.body.data.webhook_url, before.body.data.capabilities.credentials], [null, true]);
  const stored = await putCredentials(app, deviceId, credentials);
  const { data: device } = (await api('GET', `/devices/${deviceId}`)).body;
  assert.equal(device.webhook_url, stored.webhook_url);
  const shown = JSON.stringify(device);
  assert.ok(!shown.includes(credentials.access_token) && !shown.includes(credentials.app_secret));
  const { rows } = await sql<{ dump: string }>`
    select (select string_agg(encode(value_sealed, 'escape'), '') from device_sessions where device_id = ${deviceId}) ||
           (select string_agg(to_jsonb(a)::text, '') from audit_log a where object_id = ${deviceId}) as dump`.execute(
    db,
  );
  assert.ok(!String(rows[0]?.dump).includes(credentials.access_token));
  const connected = await api('POST', `/devices/${deviceId}/connect`);
  assert.equal(connected.status, 200);
  const status = await waitForDevice(app, deviceId, (each) => each['connected'] === true);
  assert.deepEqual([status['phone_number'], status['qr_code']], ['+15550201000', undefined]);
});

test('refuses members of another network, missing members, wrong forms and started devices', async () => {
  const { deviceId } = await addStoppedDevice();
  const credentials = await graph.addNumber('15550201001');
  const put = async (body: object) => {
    const response = await api('PUT', `/devices/${deviceId}/credentials`, { body });
    return { status: response.status, details: response.body.details };
  };
  const { status, details } = await put({
    phone_number_id: 'x',
    access_token: 'has space in it',
    waba_id: '102290129',
  });
  assert.equal(status, 400);
  assert.deepEqual(details.issues.map(({ path }: { path: string }) => path).toSorted(), [
    'access_token',
    'app_secret',
    'phone_number_id',
  ]);
  assert.equal((await put({ ...credentials, pin: '1' })).status, 400);
  const missing = await api('POST', `/devices/${deviceId}/connect`);
  assert.equal(missing.body.details.reason, 'credentials_missing');
  assert.equal((await put(credentials)).status, 200);
  await api('POST', `/devices/${deviceId}/connect`);
  assert.equal((await put(credentials)).details.reason, 'device_not_stopped');
  const simulated = await addDevice(app, await addTeamWithBot(db));
  const response = await api('PUT', `/devices/${simulated}/credentials`, { body: credentials });
  assert.equal(response.body.details.reason, 'credentials_unsupported');
});

test('stops with credentials_invalid when the network refuses the credentials, and connects with new ones', async () => {
  const { deviceId } = await addStoppedDevice();
  const credentials = await graph.addNumber('15550201002');
  await putCredentials(app, deviceId, { ...credentials, access_token: 'EAAinvalidtoken' });
  await api('POST', `/devices/${deviceId}/connect`);
  const stopped = await waitForDevice(app, deviceId, ({ status }) => status === 'stopped');
  assert.equal(stopped['last_disconnect_reason'], 'credentials_invalid');
  await putCredentials(app, deviceId, credentials);
  await api('POST', `/devices/${deviceId}/connect`);
  await waitForDevice(app, deviceId, ({ connected }) => connected === true);
});

test('a number can be connected only once', async () => {
  const number = await app.addNumber();
  const other = await addStoppedDevice();
  await putCredentials(app, other.deviceId, number.credentials);
  await api('POST', `/devices/${other.deviceId}/connect`);
  const stopped = await waitForDevice(app, other.deviceId, ({ status }) => status === 'stopped');
  assert.equal(stopped['last_disconnect_reason'], 'account_in_use');
});

test('only the device that holds a number gets its events', async () => {
  const number = await app.addNumber();
  const next = await addStoppedDevice();
  await putCredentials(app, next.deviceId, number.credentials);
  await graph.write(number.phone, newPerson(), 'to the first');
  await eventually(async () => assert.deepEqual(await readTexts(number.deviceId), ['to the first']));
  await api('POST', `/devices/${number.deviceId}/logout`);
  await api('POST', `/devices/${next.deviceId}/connect`);
  await waitForDevice(app, next.deviceId, ({ connected }) => connected === true);
  await graph.write(number.phone, newPerson(), 'to the next');
  await eventually(async () => assert.deepEqual(await readTexts(next.deviceId), ['to the next']));
});

test('logout deletes the credentials', async () => {
  const number = await app.addNumber();
  await api('POST', `/devices/${number.deviceId}/logout`);
  const { data } = (await api('GET', `/devices/${number.deviceId}`)).body;
  assert.deepEqual([data.status, data.webhook_url], ['stopped', null]);
  await eventually(async () => {
    const { rows } = await sql`select from device_sessions where device_id = ${number.deviceId}`.execute(db);
    assert.equal(rows.length, 0);
  });
  const { message } = (await api('GET', `/devices/${number.deviceId}/status`)).body.data;
  assert.equal(message, 'Stopped. Store credentials to connect again.');
  const again = await api('POST', `/devices/${number.deviceId}/connect`);
  assert.equal(again.body.details.reason, 'credentials_missing');
});

test('answers the challenge only for the right verify token', async () => {
  const number = await app.addNumber();
  const ask = (token: string) =>
    fetch(`${number.webhookUrl}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`);
  const wrong = await ask('guessed');
  assert.deepEqual([wrong.status, await wrong.text()], [401, '']);
  const unknown = await fetch(`${number.webhookUrl.replace(/[^/]{24}\/webhook/, 'x'.repeat(24))}/webhook`);
  assert.equal(unknown.status, 401);
});

test('takes only bytes that the secret of the device signed, and stores them before it responds', async () => {
  const number = await app.addNumber();
  await api('POST', `/devices/${number.deviceId}/stop`);
  const push = (body: string, secret: string) => {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return fetch(number.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      body,
    });
  };
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: number.credentials.waba_id,
        changes: [
          {
            field: 'messages',
            value: {
              metadata: { phone_number_id: number.phone },
              contacts: [{ wa_id: '15550990001', profile: { name: 'Ann' } }],
              messages: [
                {
                  id: 'wamid.1',
                  from: '15550990001',
                  timestamp: '1790000000',
                  type: 'text',
                  text: { body: 'é' },
                },
              ],
            },
          },
        ],
      },
    ],
  });
  const count = async () => {
    const { rows } = await sql`select from network_inbox where device_id = ${number.deviceId}`.execute(db);
    return rows.length;
  };
  for (const [given, secret] of [
    [body, 'another secret'],
    [body, ''],
  ] as const) {
    const refused = await push(given, secret);
    assert.deepEqual([refused.status, await refused.text()], [401, '']);
  }
  const unsigned = await fetch(number.webhookUrl, { method: 'POST', body });
  assert.equal(unsigned.status, 401);
  assert.equal(await count(), 0);
  assert.equal((await push(body, number.credentials.app_secret)).status, 200);
  assert.equal((await push(body, number.credentials.app_secret)).status, 200);
  assert.equal(await count(), 1);
  assert.equal(
    (await push('{"entry":[{"changes":[{"field":1},null]}]}', number.credentials.app_secret)).status,
    200,
  );
  assert.equal((await push('not json', number.credentials.app_secret)).status, 200);
  const large = await push(
    JSON.stringify({ padding: 'x'.repeat(3 * 1024 * 1024) }),
    number.credentials.app_secret,
  );
  assert.equal(large.status, 400);
});

test('the devices of one app share an address, and each gets the events of its own number', async () => {
  const first = await app.addNumber();
  const second = await app.addNumber({ app: { app_secret: first.credentials.app_secret } });
  assert.equal(first.webhookUrl, second.webhookUrl);
  await graph.write(first.phone, newPerson(), 'to the first');
  await graph.write(second.phone, newPerson(), 'to the second');
  await eventually(async () => {
    assert.deepEqual(await readTexts(first.deviceId), ['to the first']);
    assert.deepEqual(await readTexts(second.deviceId), ['to the second']);
  });
});

test('a device gets no events of a number that another secret signed', async () => {
  const number = await app.addNumber();
  const thief = await addStoppedDevice();
  const stolen = { ...number.credentials, app_secret: 'a-secret-of-the-thief' };
  await putCredentials(app, thief.deviceId, stolen);
  await graph.write(number.phone, newPerson(), 'a secret');
  await eventually(async () => assert.deepEqual(await readTexts(number.deviceId), ['a secret']));
  const { rows } = await sql`select from network_inbox where device_id = ${thief.deviceId}`.execute(db);
  assert.equal(rows.length, 0);
});

test('stores events with characters that the database refuses without these characters', async () => {
  const number = await app.addNumber();
  const person = newPerson('Ann \ud83d');
  await graph.write(number.phone, person, 'one\0 and half \ude00');
  await eventually(async () => assert.deepEqual(await readTexts(number.deviceId), ['one and half \ufffd']));
});

test('shows the rating and the limit that the network reports', async () => {
  const number = await app.addNumber();
  const kinds = async () => {
    const { data } = (await api('GET', `/devices/${number.deviceId}/status`)).body;
    return data.restrictions.map(({ kind, limit }: { kind: string; limit?: number }) => [kind, limit]);
  };
  assert.deepEqual(await kinds(), []);
  await graph.rate(number.phone, { quality_rating: 'RED', messaging_limit: 'TIER_2K' });
  await eventually(async () =>
    assert.deepEqual(await kinds(), [
      ['quality_low', undefined],
      ['messaging_limit', 2000],
    ]),
  );
  const { data } = (await api('GET', `/events?team_id=${number.teamId}&types=device.restricted`)).body;
  assert.deepEqual(
    data.map((event: { data: { kind: string } }) => event.data.kind),
    ['quality_low'],
  );
  await graph.rate(number.phone, { quality_rating: 'GREEN', messaging_limit: 'TIER_UNLIMITED' });
  await eventually(async () => assert.deepEqual(await kinds(), []));
});

test('a person without a login connects a number with a link, and the link shows what to enter at the network', async () => {
  const { deviceId } = await addStoppedDevice();
  const { url } = (await api('POST', `/devices/${deviceId}/link`, { body: {} })).body.data;
  const token = String(url).split('#')[1] ?? '';
  const call = async (path: string, body: object = {}) =>
    (await api('POST', `/api/openapi/link/${path}`, { token: null, body: { token, ...body } })).body;
  const shown = (await call('status')).data;
  assert.deepEqual(
    [shown.state, shown.credentials],
    ['credentials', ['phone_number_id', 'waba_id', 'access_token', 'app_secret']],
  );
  const credentials = await graph.addNumber('15550201090');
  const wrong = await call('credentials', { ...credentials, access_token: 'EAAanothertoken' });
  assert.deepEqual(
    [wrong.data.state, wrong.data.credentials_problem],
    ['credentials', 'credentials_invalid'],
  );
  assert.equal((await call('credentials', { bot_token: '12345:x' })).details.reason, 'validation');
  const { data } = await call('credentials', credentials);
  assert.deepEqual([data.state, data.message], ['linked', 'The account is connected.']);
  assert.match(data.webhook_url, /\/networks\/whatsapp_cloud\/[\w-]{24}\/webhook$/);
  assert.equal((await call('status')).data.verify_token, undefined);
  await api('POST', `/devices/${deviceId}/logout`);
  // The link was used, so it connects nothing else.
  const again = await call('credentials', await graph.addNumber('15550201091'));
  assert.deepEqual([again.data.state, again.data.webhook_url], ['linked', undefined]);
  assert.equal((await api('GET', `/devices/${deviceId}`)).body.data.webhook_url, null);
});
