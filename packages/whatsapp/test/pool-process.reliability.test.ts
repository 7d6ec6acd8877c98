import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addDevice, addTeamWithBot, newPhone, readQrText } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';
const isConnected = ({ connected }: Record<string, unknown>) => connected === true;

describe('a pool process on linked devices', { timeout: 360_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  const { db } = context;
  let pool = await rig.startPool();

  const readTexts = async (device: string) => {
    const { rows } = await sql<{ text: string }>`
      select text from messages where device_id = ${device} and direction = 'in' order by sent_at, id`.execute(
      db,
    );
    return rows.map(({ text }) => text);
  };

  const readConfirmations = async (id: string) =>
    (await fake.journal()).flatMap((entry) => ('id' in entry && entry.id === id ? [entry.type] : []));

  const waitForDelivery = (id: string) =>
    eventually(async () => assert.deepEqual(await readConfirmations(id), ['delivered']));

  /** Waits until a message waits for the lock on conversations. */
  const waitForBlockedMessage = () =>
    eventually(async () => {
      const { rows } = await sql`
        select from pg_locks
        where relation = 'conversations'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(db);
      assert.ok(rows.length > 0);
    });

  const send = async (device: string, message: string) => {
    const { body } = await rig.api('POST', '/send', {
      body: { device_id: device, message, destination_number: contact },
    });
    return body.data?.status;
  };

  const readSent = async (phone: string) => (await fake.received(contact, phone)).map(({ text }) => text);

  test('links a device by its code, sends a text and receives one', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    assert.equal(await send(device, 'hello'), 'sent');
    assert.deepEqual(await readSent(phone), ['hello']);
    await waitForDelivery(await fake.write({ from: contact, to: phone, text: 'hi' }));
    assert.deepEqual(await readTexts(device), ['hi']);
  });

  const readFields = (qr: string) => new URL(qr).hash.slice(1).split(',');

  for (const request of ['companion_reg_refresh', 'pair-device-rotate-qr'] as const)
    test(`shows the code with a new secret when the network asks for one by ${request}`, async () => {
      const phone = newPhone();
      const device = await addDevice(rig, await addTeamWithBot(db));
      await rig.api('POST', `/devices/${device}/connect`);
      const retired = await readQrText(db, device);
      const before = await rig.until(device, (status) => status['qr_code'] !== undefined);
      assert.equal(await fake.requestSecret(retired, request), true);
      await eventually(async () => assert.notEqual(await readQrText(db, device), retired));
      const renewed = await readQrText(db, device);
      await rig.until(device, (status) => status['qr_code'] !== before['qr_code']);
      const differing = readFields(renewed).map((field, index) => field !== readFields(retired)[index]);
      assert.deepEqual(differing, [false, false, false, true, false]);
      assert.equal(await fake.scan(retired, phone), false);
      assert.equal(await fake.scan(renewed, phone), true);
      assert.equal((await rig.until(device, isConnected))['phone_number'], phone);
      await waitForDelivery(await fake.write({ from: contact, to: phone, text: 'linked' }));
      assert.deepEqual(await readTexts(device), ['linked']);
    });

  test('links a device by a pairing code that is entered on its phone', async () => {
    const phone = newPhone();
    const device = await addDevice(rig, await addTeamWithBot(db));
    const connect = () =>
      rig.api('POST', `/devices/${device}/connect`, { body: { pairing_phone_number: phone.slice(1) } });
    assert.equal((await connect()).status, 200);
    const shown = await rig.until(device, (status) => status['pairing_code'] !== undefined);
    assert.equal(shown['qr_code'], undefined);
    assert.equal(await fake.enterCode(String(shown['pairing_code']), phone), true);
    const linked = await rig.until(device, isConnected);
    assert.equal(linked['phone_number'], phone);
    assert.equal(linked['pairing_code'], undefined);
    await rig.api('POST', `/devices/${device}/stop`);
    assert.equal((await connect()).body.details.reason, 'device_linked');
  });

  const files = [
    {
      media: { kind: 'image', mimetype: 'image/png', caption: 'a bicycle' },
      kind: 'image',
      text: 'a bicycle',
    },
    { media: { kind: 'audio', mimetype: 'audio/ogg', ptt: true, seconds: 7 }, kind: 'voice', text: '' },
    { media: { kind: 'video', mimetype: 'video/mp4', caption: 'look' }, kind: 'document', text: 'look' },
    { media: { kind: 'sticker', mimetype: 'image/webp' }, kind: 'image', text: '' },
  ];
  for (const { media, kind, text } of files)
    test(`stores a file of a contact and returns it: ${media.kind}`, async () => {
      const phone = newPhone();
      const device = await rig.link(phone);
      const bytes = Buffer.from('89504e470d0a1a0a0000', 'hex');
      await waitForDelivery(await fake.writeMedia({ from: contact, to: phone }, media, bytes));
      // The network's confirmation does not wait for the download.
      const message = await eventually(async () => {
        const { body } = await rig.api('GET', `/messages?device_id=${device}`);
        assert.equal(body.data.length, 1);
        return body.data[0];
      });
      assert.deepEqual([message.kind, message.text, message.mime_type], [kind, text, media.mimetype]);
      const file = await rig.api('GET', `/messages/${message.id}/media`);
      assert.equal(file.headers.get('content-type'), media.mimetype);
      assert.equal(file.headers.get('content-disposition'), 'attachment');
      assert.deepEqual(Buffer.from(file.bytes), bytes);
    });

  test('shows a reaction to a sent message without answering it', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    const sent = await rig.api('POST', '/send', {
      body: { device_id: device, message: 'ready?', destination_number: contact },
    });
    const { messageId } = sent.body.data;
    const id = messageId.replaceAll('-', '').toUpperCase();
    const reaction = { reactionMessage: { key: { id, fromMe: true }, text: '👍' } };
    await waitForDelivery(await fake.writeContent({ from: contact, to: phone }, reaction));
    const { body } = await rig.api('GET', `/messages?device_id=${device}&direction=in`);
    assert.deepEqual(body.data[0].details, { type: 'reaction', emoji: '👍', message_id: messageId });
    const { rows } = await sql<{ due: boolean }>`
      select answer_due_at is not null as due from conversations where device_id = ${device}`.execute(db);
    assert.deepEqual(rows, [{ due: false }]);
  });

  test('reconnects a device without a code after a restart', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    pool.child.kill('SIGTERM');
    assert.equal(await pool.ended, 0);
    await rig.until(device, (status) => !isConnected(status));
    const written = await fake.write({ from: contact, to: phone, text: 'while you were away' });
    pool = await rig.startPool();
    assert.equal((await rig.until(device, isConnected))['phone_number'], phone);
    await waitForDelivery(written);
    assert.deepEqual(await readTexts(device), ['while you were away']);
    assert.equal(await send(device, 'back again'), 'sent');
  });

  test('confirms a message only after its row is committed', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    const id = await db.transaction().execute(async (tx) => {
      await sql`lock table conversations in exclusive mode`.execute(tx);
      const written = await fake.write({ from: contact, to: phone, text: 'kept first' });
      await waitForBlockedMessage();
      assert.deepEqual(await readConfirmations(written), []);
      return written;
    });
    await waitForDelivery(id);
    assert.deepEqual(await readTexts(device), ['kept first']);
  });

  test('delivers each message once when a pool process is killed and replaced', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    await fake.injectFault(phone, 'lose_next');
    const sending = send(device, 'sent once');
    await eventually(async () => assert.deepEqual(await readSent(phone), ['sent once']));
    const caught = await db.transaction().execute(async (tx) => {
      await sql`lock table conversations in exclusive mode`.execute(tx);
      const written = await fake.write({ from: contact, to: phone, text: 'caught in the middle' });
      await waitForBlockedMessage();
      pool.child.kill('SIGKILL');
      await pool.ended;
      return written;
    });
    const meanwhile = await fake.write({ from: contact, to: phone, text: 'came meanwhile' });
    pool = await rig.startPool();
    await rig.until(device, isConnected);
    await waitForDelivery(caught);
    await waitForDelivery(meanwhile);
    assert.deepEqual(await readTexts(device), ['caught in the middle', 'came meanwhile']);
    assert.ok(['accepted', 'sent'].includes(await sending));
    assert.equal(await send(device, 'goes on'), 'sent');
    assert.deepEqual(await readSent(phone), ['sent once', 'goes on']);
  });

  test('releases a device that it may have lost and does not reconnect it', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    pool.child.kill('SIGSTOP');
    const successor = await rig.startPool();
    await eventually(async () => {
      const { rows } = await sql<{ pool_url: string }>`
        select pool_url from devices where id = ${device} and connected`.execute(db);
      assert.equal(rows[0]?.pool_url, successor.addresses.pool);
    });
    pool.child.kill('SIGCONT');
    await waitForDelivery(await fake.write({ from: contact, to: phone, text: 'to the successor' }));
    pool.child.kill('SIGTERM');
    await pool.ended;
    pool = successor;
    assert.equal(await send(device, 'from the successor'), 'sent');
    const logins = (await fake.journal()).filter((entry) => entry.type === 'login' && entry.device === phone);
    assert.equal(logins.length, 2);
  });

  test('reconnects a device after another client replaced it', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    await fake.injectFault(phone, 'replace');
    await rig.until(device, (status) => status['last_disconnect_reason'] === 'replaced');
    await rig.until(device, isConnected);
  });

  test('stops a device that its phone unlinked, and deletes its session state', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    await fake.injectFault(phone, 'unlink');
    const status = await rig.until(device, (now) => now['status'] === 'stopped');
    assert.equal(status['last_disconnect_reason'], 'logged_out');
    assert.equal(status['logged_in'], false);
    const { rows } = await sql`select from device_sessions where device_id = ${device}`.execute(db);
    assert.equal(rows.length, 0);
  });

  test('blocks a device whose account the network refuses', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    await fake.injectFault(phone, 'ban');
    const status = await rig.until(device, (now) => now['status'] === 'stopped');
    assert.equal(status['last_disconnect_reason'], 'banned');
  });

  test('closes one connection, not the process, after an undecryptable frame', async () => {
    const [phone, other] = [newPhone(), newPhone()];
    const device = await rig.link(phone);
    const untouched = await rig.link(other);
    await fake.injectFault(phone, 'garbage');
    await rig.until(device, (status) => status['last_disconnect_reason'] === 'connection_lost');
    await rig.until(device, isConnected);
    const logins = (await fake.journal()).filter((entry) => entry.type === 'login' && entry.device === other);
    assert.equal(logins.length, 1);
    assert.equal(await send(untouched, 'still here'), 'sent');
  });

  test('writes neither keys nor texts to its log', async () => {
    const log = await rig.poolLog();
    assert.ok(log.includes('client library'));
    assert.doesNotMatch(log, /privKey|SessionEntry|while you were away|hello/);
    for (const line of log.trimEnd().split('\n')) assert.equal(line.startsWith('{'), true, line);
  });
});
