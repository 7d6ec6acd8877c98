import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startDevicesApp, waitForDevice } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { addWebsite, createVisitor, shop } from '../../../test/web-visitor.ts';

const app = await startDevicesApp();
const { db } = app.context;
const pool = await app.startPool();
const url = () => app.baseUrl;
const png = Buffer.from('89504e470d0a1a0a00', 'hex');

const readMessages = async (deviceId: string) =>
  (await app.api('GET', `/messages?device_id=${deviceId}`)).body.data as {
    id: string;
    contact_number: string;
    direction: string;
    kind: string;
    status: string;
    text: string;
  }[];

test('a visitor writes on a listed website, a person answers, and both come back after a reload', async () => {
  const { deviceId } = await addWebsite(app);
  const visitor = createVisitor(url, deviceId);
  const { title } = await visitor.visit();
  assert.equal(title, 'Harbour shop');
  assert.equal((await visitor.write('message-1', 'Do you rent tandems?')).status, 200);
  assert.equal((await visitor.write('message-1', 'Do you rent tandems?')).status, 200);
  const [own] = await visitor.read((messages) => messages.length === 1);
  assert.deepEqual([own?.own, own?.text, own?.client_id], [true, 'Do you rent tandems?', 'message-1']);
  const [conversation] = (await app.api('GET', `/conversations?device_id=${deviceId}`)).body.data;
  assert.equal(conversation.contact_number, visitor.contact());
  const written = await app.api('POST', `/conversations/${conversation.id}/messages`, {
    body: { text: 'Yes, two.' },
  });
  assert.equal(written.status, 200);
  const [, answer] = await visitor.read((messages) => messages.length === 2);
  assert.deepEqual([answer?.own, answer?.person, answer?.text], [false, true, 'Yes, two.']);
  await visitor.call('POST', 'receipts', { ids: [answer?.id], state: 'read' });
  await eventually(async () => assert.equal((await readMessages(deviceId))[0]?.status, 'read'));
  assert.equal((await readMessages(deviceId)).length, 2);
  const later = createVisitor(url, deviceId);
  const { visitor: token } = await later.visit();
  assert.equal((await later.read((_, states) => states.length === 1)).length, 0);
  const again = await visitor.visit({ visitor: token });
  assert.equal(again.visitor, token);
});

test('a page that is not listed cannot use the chat, and gets no permission to read a response', async () => {
  const { deviceId } = await addWebsite(app);
  for (const origin of ['https://evil.example', 'https://shop.example.evil', 'http://shop.example', 'null']) {
    const response = await createVisitor(url, deviceId, origin).call('POST', 'visits', {});
    assert.equal(response.status, 403, origin);
    assert.equal(response.headers.get('access-control-allow-origin'), null);
  }
  const noOrigin = await fetch(`${app.baseUrl}/networks/web/${deviceId}/visits`, { method: 'POST' });
  assert.equal(noOrigin.status, 403);
  const preflight = await createVisitor(url, deviceId).call('OPTIONS', 'visits');
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers.get('access-control-allow-origin'), shop);
});

test('a token of one website or of nobody reads nothing', async () => {
  const [first, second] = [await addWebsite(app), await addWebsite(app)];
  const visitor = createVisitor(url, first.deviceId);
  const { visitor: token } = await visitor.visit();
  const other = createVisitor(url, second.deviceId);
  for (const given of [token, `${token}x`, 'v-forged.x', ''])
    assert.equal(
      (
        await other.call(
          'POST',
          'messages',
          { id: 'message-1', text: 'x' },
          { authorization: `Bearer ${given}` },
        )
      ).status,
      401,
    );
  assert.notEqual((await other.visit({ visitor: token })).visitor, token);
});

test('a signed visitor has one chat on every browser, which an unsigned visitor cannot name', async () => {
  const { deviceId } = await addWebsite(app);
  const { visitor_secret: secret } = (await app.api('GET', `/devices/${deviceId}`)).body.data.web_chat;
  const signature = createHmac('sha256', secret).update('customer-7').digest('hex');
  const visitor = createVisitor(url, deviceId);
  const { visitor: token } = await visitor.visit({ identity: { id: 'customer-7', signature } });
  assert.match(token, /^u-/);
  assert.equal((await visitor.visit({ identity: { id: 'customer-7', signature } })).visitor, token);
  assert.notEqual((await visitor.visit({ visitor: token })).visitor, token);
  const forged = await visitor.call('POST', 'visits', { identity: { id: 'customer-8', signature } });
  assert.equal(forged.status, 403);
  await app.api('PATCH', `/devices/${deviceId}`, { body: { web_chat: { signed_visitors_only: true } } });
  assert.equal((await visitor.call('POST', 'visits', {})).status, 403);
});

test('images and files arrive with their bytes, and the visitor can load them again', async () => {
  const { deviceId } = await addWebsite(app);
  const visitor = createVisitor(url, deviceId);
  await visitor.visit();
  const send = (id: string, name: string, bytes: Buffer) =>
    visitor.call('POST', 'messages', {
      id,
      text: '',
      file: { name, type: 'application/pdf', base64: bytes.toString('base64') },
    });
  const large = Buffer.alloc(50_000, 'a');
  assert.equal((await send('picture-1', 'a.png', png)).status, 200);
  assert.equal((await send('document-1', 'a.pdf', large)).status, 200);
  const [picture, document] = await visitor.read((messages) => messages.length === 2);
  assert.deepEqual([picture?.kind, document?.kind, document?.text], ['image', 'document', 'a.pdf']);
  const loaded = await visitor.call('GET', `media/${document?.id}`);
  assert.ok(Buffer.from(await loaded.arrayBuffer()).equals(large));
  const stranger = createVisitor(url, deviceId);
  await stranger.visit();
  assert.equal((await stranger.call('GET', `media/${document?.id}`)).status, 404);
  const empty = await visitor.call('POST', 'messages', { id: 'nothing-1', text: ' ' });
  assert.equal(empty.status, 400);
});

test('a visitor who writes too fast has to wait', async () => {
  const { deviceId } = await addWebsite(app);
  const visitor = createVisitor(url, deviceId);
  await visitor.visit();
  const statuses: number[] = [];
  for (let n = 0; n < 31; n += 1) statuses.push((await visitor.write(`message-${n}`, 'again')).status);
  assert.deepEqual([statuses.indexOf(429), statuses.filter((status) => status === 429).length], [30, 1]);
  const other = createVisitor(url, deviceId);
  await other.visit();
  assert.equal((await other.write('message-1', 'hello')).status, 200);
});

test('the settings take origins and colours only, and only on the network web', async () => {
  const { deviceId, teamId } = await addWebsite(app);
  const change = (web_chat: object, id = deviceId) =>
    app.api('PATCH', `/devices/${id}`, { body: { web_chat } });
  for (const origin of ['https://shop.example/', 'ftp://shop.example', '*', 'shop.example', 'https://a b'])
    assert.equal((await change({ allowed_origins: [origin] })).status, 400, origin);
  assert.equal((await change({ color: 'red' })).status, 400);
  const { body } = await change({ title: 'Ask Ada', color: '#aa0000' });
  assert.deepEqual(
    [body.data.web_chat.title, body.data.web_chat.color, body.data.web_chat.allowed_origins],
    ['Ask Ada', '#aa0000', [shop]],
  );
  const { rows } = await sql<{ bot_id: string }>`select bot_id from devices where id = ${deviceId}`.execute(
    db,
  );
  const phone = await app.api('POST', '/devices', {
    body: { team_id: teamId, bot_id: rows[0]?.bot_id, name: 'Desk' },
  });
  assert.equal((await change({ title: 'x' }, phone.body.data.id)).status, 400);
});

test('nobody can be written to first, and nothing is charged for it', async () => {
  const { deviceId, teamId } = await addWebsite(app);
  const { status, body } = await app.api('POST', '/send', {
    body: { device_id: deviceId, message: 'Hello', destination_number: '+15550199' },
  });
  assert.deepEqual([status, body.details.reason], [400, 'network_cannot_initiate']);
  assert.equal((await app.api('GET', `/teams/${teamId}/usage`)).body.data.active_messages.used, 0);
});

test('messages wait while no pool hosts the website, and another pool reads them in order', async () => {
  const { deviceId } = await addWebsite(app);
  const visitor = createVisitor(url, deviceId);
  await visitor.visit();
  await visitor.write('message-0', 'text 0');
  await eventually(async () => assert.equal((await readMessages(deviceId)).length, 1));
  await pool.close();
  for (const n of [1, 2, 3]) assert.equal((await visitor.write(`message-${n}`, `text ${n}`)).status, 200);
  assert.equal((await readMessages(deviceId)).length, 1);
  await app.startPool();
  await waitForDevice(app, deviceId, ({ connected }) => connected === true);
  await eventually(async () =>
    assert.deepEqual(
      (await readMessages(deviceId)).map(({ text }) => text),
      ['text 3', 'text 2', 'text 1', 'text 0'],
    ),
  );
});

test('an erasure removes what waits for a stopped device, and deleting the device the rest', async () => {
  const { deviceId, teamId } = await addWebsite(app);
  const visitor = createVisitor(url, deviceId);
  await visitor.visit();
  await visitor.write('message-1', 'one');
  await eventually(async () => assert.equal((await readMessages(deviceId)).length, 1));
  await app.api('POST', `/devices/${deviceId}/stop`);
  await sql`
    insert into network_inbox (device_id, team_id, event_key, contact_number, payload)
    values (${deviceId}, ${teamId}, 'late', ${visitor.contact()}, '{}')`.execute(db);
  assert.equal((await visitor.write('message-2', 'two')).status, 404);
  const count = async () =>
    (
      await sql<{ n: number }>`
        select count(*)::int as n from network_inbox where device_id = ${deviceId} and contact_number is not null`.execute(
        db,
      )
    ).rows[0]?.n;
  assert.equal(await count(), 1);
  const erased = await app.api('POST', `/contacts/${visitor.contact()}/erase`, { body: { team_id: teamId } });
  assert.equal(erased.status, 200, JSON.stringify(erased.body));
  assert.equal(await count(), 0);
  assert.equal((await app.api('DELETE', `/devices/${deviceId}`)).status, 200);
  const { rows } = await sql`select from network_inbox where device_id = ${deviceId}`.execute(db);
  assert.equal(rows.length, 0);
});
