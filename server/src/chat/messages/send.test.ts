import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addDevice, addTeamWithBot } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { contact, startSendingApp } from '../../../test/senders.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startSendingApp();
const { addSender, network, send, sources, usedBy } = app;
const { db } = app.context;

/** Adds a plan for teams whose quota a test uses up. */
async function addPlan(quota: number): Promise<string> {
  const name = `plan-${newId()}`;
  await sql`
    insert into plans (name, allow_active_messaging, active_messages_monthly, paying, bots, accounts, characters,
                       documents, members, credits)
    values (${name}, true, ${quota}, true, 9, 9, 9, 9, 9, 9)`.execute(db);
  return name;
}

describe('an active message', () => {
  test('is charged, delivered and returned with the usage of the month', async () => {
    const sender = await addSender({ plan: 'starter' });
    const { status, body, headers } = await send(sender, { destination_number: '15550199' });
    assert.equal(status, 200, JSON.stringify(body));
    const { messageId, ...data } = body.data;
    assert.deepEqual(data, {
      device_id: sender.deviceId,
      name: 'Desk',
      destinationNumber: contact,
      sendAsAudio: false,
      aiGeneratesMessage: false,
      imageUrl: null,
      imageMimeType: null,
      usage: { activeMessagesUsed: 1, activeMessagesQuota: 100, activeMessagesRemaining: 104 },
      status: 'sent',
    });
    assert.equal(headers.get('x-ratelimit-limit'), '105');
    assert.equal(headers.get('x-ratelimit-remaining'), '104');
    assert.equal(headers.get('x-ratelimit-used'), '1');
    const received = await network.received(contact, sender.phone);
    assert.deepEqual(
      received.map(({ text, copies }) => ({ text, copies })),
      [{ text: 'Your bicycle is ready', copies: 1 }],
    );
    const stored = await eventually(async () => {
      const answer = await app.api('GET', `/messages/${messageId}`);
      assert.equal(answer.body.data.status, 'delivered');
      return answer.body.data;
    });
    assert.equal(stored.origin, 'api');
    const listed = await app.api('GET', `/messages?device_id=${sender.deviceId}&direction=out`);
    assert.deepEqual(listed.body.data, [stored]);
  });

  test('joins the chat of a contact whose number has another form', async () => {
    const sender = await addSender();
    await sql`
      insert into contact_addresses (device_id, address, team_id, contact_number)
      values (${sender.deviceId}, '+5511987650009', ${sender.teamId}, '+551187650009')`.execute(db);
    const { body } = await send(sender, { destination_number: '+5511987650009' });
    assert.equal(body.data.destinationNumber, '+5511987650009');
    const { body: stored } = await app.api('GET', `/messages/${body.data.messageId}`);
    assert.equal(stored.data.contact_number, '+551187650009');
  });

  test('accepts and finds ids in capitals', async () => {
    const sender = await addSender();
    const capitals = sender.deviceId.toUpperCase();
    const { body } = await send({ deviceId: capitals });
    assert.deepEqual([body.data.device_id, body.data.status], [sender.deviceId, 'sent']);
    const listed = await app.api('GET', `/messages?device_id=${capitals}`);
    assert.deepEqual(
      listed.body.data.map(({ id }: { id: string }) => id),
      [body.data.messageId],
    );
    assert.equal((await app.api('GET', `/messages/${body.data.messageId.toUpperCase()}`)).status, 200);
    assert.equal((await app.api('POST', `/devices/${capitals}/stop`)).body.data.status, 'stopped');
    const started = await app.api('POST', `/devices/${capitals}/connect`);
    assert.equal(started.body.data.device_id, sender.deviceId);
  });

  test('is accepted exactly up to the quota and its margin under concurrency', async () => {
    const sender = await addSender({ plan: await addPlan(30) });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        send(sender, { destination_number: `+1555020${String(i).padStart(4, '0')}` }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 31);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.every(({ status }) => status === 429));
    const { resets_at: resetsAt, ...details } = refused[0]?.body.error.details ?? {};
    assert.match(resetsAt, /^\d{4}-\d\d-01T00:00:00\.000Z$/);
    assert.ok(Date.parse(resetsAt) > Date.now());
    assert.deepEqual(details, { reason: 'active_messages', quota: 30, used: 31, limit: 31 });
    assert.deepEqual(
      [refused[0]?.body.error.message, refused[0]?.body.error.code],
      ["The month's active messages are used up", 'RATE_LIMIT_EXCEEDED'],
    );
    assert.equal(refused[0]?.headers.get('x-ratelimit-remaining'), '0');
    assert.equal(await usedBy(sender.teamId), 31);
    const { rows } = await sql<{ sent: number }>`
      select count(*) as sent from messages where device_id = ${sender.deviceId} and status <> 'accepted'`.execute(
      db,
    );
    assert.equal(rows[0]?.sent, 31);
  });

  test('is refunded when the network refuses it', async () => {
    const sender = await addSender();
    await network.fault(sender.phone, 'refuse_next');
    const refused = await send(sender);
    assert.equal(refused.status, 500);
    assert.equal(refused.body.details.reason, 'network_refused');
    const unknown = await send(sender, { destination_number: '+9995550100' });
    assert.equal(unknown.status, 400);
    assert.equal(unknown.body.details.reason, 'recipient_unknown');
    assert.equal(await usedBy(sender.teamId), 0);
    const { rows } = await sql<{ refunded: boolean }>`
      select refunded from messages where device_id = ${sender.deviceId} and status = 'refused'`.execute(db);
    assert.deepEqual(rows, [{ refunded: true }, { refunded: true }]);
  });

  test('is delivered once and stays charged if its acknowledgement is lost', async () => {
    const sender = await addSender();
    await network.fault(sender.phone, 'lose_ack_next');
    const { status, body } = await send(sender);
    assert.equal(status, 200);
    assert.equal(body.data.status, 'accepted');
    await eventually(async () => {
      const stored = await app.api('GET', `/messages/${body.data.messageId}`);
      assert.notEqual(stored.body.data.status, 'accepted');
    });
    assert.equal((await network.received(contact, sender.phone)).length, 1);
    assert.equal(await usedBy(sender.teamId), 1);
  });

  test('arrives in the order of the chat', async () => {
    const sender = await addSender();
    const words = Array.from({ length: 20 }, (_, i) => `message ${i}`);
    for (const [i, message] of words.entries()) {
      await sql`
        insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status)
        values (${newId()}, ${sender.teamId}, ${sender.deviceId}, ${contact}, 'out', 'bot', 'text', ${message},
                ${`order-${i}`}, 'accepted')`.execute(db);
    }
    await eventually(async () => {
      const received = await network.received(contact, sender.phone);
      assert.deepEqual(
        received.map(({ text }) => text),
        words,
      );
    });
  });
});

describe('the content of a message', () => {
  test('is an image with the text as its caption', async () => {
    const sender = await addSender();
    const { status, body } = await send(sender, {
      image_url: 'https://example.com/a.png',
      image_mime_type: 'image/png',
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.imageUrl, 'https://example.com/a.png');
    assert.equal(body.data.imageMimeType, 'image/png');
    const [received] = await network.received(contact, sender.phone);
    assert.equal(received?.kind, 'image');
    assert.equal(received?.text, 'Your bicycle is ready');
  });

  test('is an image and then a voice note for one charge', async () => {
    const sender = await addSender();
    sources.synthesize = async () => ({
      bytes: Buffer.from('OggS'),
      seconds: 2,
      waveform: new Uint8Array(64),
    });
    const { status } = await send(sender, { image_url: 'https://example.com/a.png', send_as_audio: true });
    sources.synthesize = null;
    assert.equal(status, 200);
    const received = await network.received(contact, sender.phone);
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['image', 'voice'],
    );
    assert.equal(await usedBy(sender.teamId), 1);
  });

  test('explains a number with blanks', async () => {
    const { status, body } = await send(await addSender(), { destination_number: '+1 555 0123' });
    assert.equal(status, 400);
    assert.match(body.error, /destination_number must be .* without blanks or punctuation, like \+15550123$/);
  });

  test('is refused uncharged without the image or a model that speaks', async () => {
    const sender = await addSender();
    const image = await send(sender, { image_url: 'https://example.com/missing.png' });
    assert.deepEqual(image.body.details, { reason: 'image_unavailable', cause: 'bad_status' });
    const voice = await send(sender, { send_as_audio: true });
    assert.equal(voice.body.details.reason, 'speech_not_configured');
    assert.equal(await usedBy(sender.teamId), 0);
  });

  test('is rewritten by the AI, or sent as written when that fails', async () => {
    const sender = await addSender();
    const asWritten = await send(sender, { ai_generates_message: true });
    assert.equal(asWritten.body.data.generation, 'failed');
    sources.rewrite = async ({ text }) => `${text},\0 Ada!`;
    const rewritten = await send(sender, { ai_generates_message: true });
    sources.rewrite = async () => Promise.reject(new Error('speechless'));
    const inVain = await send(sender, { ai_generates_message: true, message: 'Come by' });
    sources.rewrite = null;
    assert.equal(rewritten.body.data.generation, 'generated');
    assert.equal(inVain.body.data.generation, 'failed');
    const received = await network.received(contact, sender.phone);
    assert.deepEqual(
      received.map(({ text }) => text),
      ['Your bicycle is ready', 'Your bicycle is ready, Ada!', 'Come by'],
    );
  });
});

describe('refusals of send, in order', () => {
  test('reports every issue of the body', async () => {
    const { status, body } = await app.api('POST', '/send', {
      body: { device_id: 'x', message: '', destination_number: '0', image_mime_type: 'image/png', more: 1 },
    });
    assert.equal(status, 400);
    assert.deepEqual(
      new Set(body.details.issues.map(({ path }: { path: string }) => path)),
      new Set(['device_id', 'message', 'destination_number', 'image_mime_type', 'more']),
    );
  });

  test('rejects image_mime_type without image_url', async () => {
    const { body } = await send({ deviceId: newId() }, { image_mime_type: 'image/png' });
    assert.deepEqual(body.details.issues, [{ path: 'image_mime_type', message: 'needs an image_url' }]);
  });

  test('rejects an unknown device with 404 before checking plan and state', async () => {
    const { status, body } = await send({ deviceId: newId() });
    assert.equal(status, 404);
    assert.equal(body.details.reason, 'device_not_found');
  });

  test('hides the messages of a deleted team before they are purged', async () => {
    const sender = await addSender();
    assert.equal((await send(sender)).status, 200);
    const list = async () => (await app.api('GET', `/messages?device_id=${sender.deviceId}`)).body;
    assert.equal((await list()).meta.total, 1);
    await sql`delete from teams where id = ${sender.teamId}`.execute(db);
    const { data, meta } = await list();
    assert.deepEqual([data, meta.total], [[], 0]);
  });

  test('rejects a device with 404 when its team is deleted during the first message', async () => {
    const sender = await addSender();
    const sending = await db.transaction().execute(async (tx) => {
      await sql`delete from teams where id = ${sender.teamId}`.execute(tx);
      const answer = send(sender);
      await waitForLockWaiter(db, 'with facts');
      return { answer };
    });
    const { status, body } = await sending.answer;
    assert.deepEqual([status, body.details?.reason], [404, 'device_not_found']);
  });

  test("rejects a device of another team with 404 for a team's key", async () => {
    const sender = await addSender();
    const { teamId } = await addTeamWithBot(db);
    const { token } = await app.issueKey({ teamId });
    const { status } = await app.api('POST', '/send', {
      token,
      body: { device_id: sender.deviceId, message: 'x', destination_number: contact },
    });
    assert.equal(status, 404);
  });

  test('rejects a plan without active messaging with 403, even when the device is not connected', async () => {
    const ids = await addTeamWithBot(db, { plan: 'free' });
    const { status, body } = await send({ deviceId: await addDevice(app, ids) });
    assert.equal(status, 403);
    assert.equal(body.error.code, 'FEATURE_NOT_AVAILABLE');
    assert.equal(body.error.details.reason, 'active_messaging_not_in_plan');
  });

  test('rejects a banned team, then a disconnected device, with 400, even when the quota is used up', async () => {
    const ids = await addTeamWithBot(db, { plan: await addPlan(0) });
    const deviceId = await addDevice(app, ids);
    assert.equal((await send({ deviceId })).body.details.reason, 'device_not_connected');
    await sql`update teams set banned = true where id = ${ids.teamId}`.execute(db);
    assert.equal((await send({ deviceId })).body.details.reason, 'team_banned');
  });

  test('accepts a linked device for 2 s after its pool gave it up on purpose, and rejects it later', async () => {
    const sender = await addSender();
    const disconnect = (reason: string, secondsAgo: number, loggedIn = true) =>
      sql`
        update devices set connected = false, logged_in = ${loggedIn}, last_disconnect_reason = ${reason},
                           last_disconnect_at = now() - make_interval(secs => ${secondsAgo})
        where id = ${sender.deviceId}`.execute(db);
    // Times in the future keep a slow machine from passing the limit.
    for (const reason of ['pool_drained', 'pool_stopped']) {
      await disconnect(reason, -60);
      assert.equal((await send(sender)).status, 200, reason);
      await disconnect(reason, 3);
      assert.equal((await send(sender)).body.details.reason, 'device_not_connected', reason);
    }
    await disconnect('connection_lost', -60);
    assert.equal((await send(sender)).body.details.reason, 'device_not_connected');
    await disconnect('pool_stopped', -60, false);
    assert.equal((await send(sender)).body.details.reason, 'device_not_connected');
  });

  test('says when to retry while another pool takes the device over, and not otherwise', async () => {
    const sender = await addSender();
    const { deviceId } = sender;
    const detailsOf = async () => (await send(sender)).body.details;
    await sql`
      update pools set lease_until = now() - interval '1 second'
      where id = (select pool_id from devices where id = ${deviceId})`.execute(db);
    const takenOver = { reason: 'device_not_connected', retry_after: 2 };
    assert.deepEqual(await detailsOf(), takenOver, 'the pool was killed');
    await sql`
      update devices set connected = false, last_disconnect_reason = 'pool_lost', last_disconnect_at = now()
      where id = ${deviceId}`.execute(db);
    await sql`
      update pools set lease_until = now() + interval '1 hour'
      where id = (select pool_id from devices where id = ${deviceId})`.execute(db);
    assert.deepEqual(await detailsOf(), takenOver, 'the next pool opens its session');
    await sql`update devices set last_disconnect_reason = 'connection_lost' where id = ${deviceId}`.execute(
      db,
    );
    assert.deepEqual(await detailsOf(), { reason: 'device_not_connected' });
  });

  test('rejects with 429 when the quota is used up, before fetching the image', async () => {
    const sender = await addSender({ plan: await addPlan(0) });
    const { status, body } = await send(sender, { image_url: 'https://example.com/missing.png' });
    assert.equal(status, 429);
    const { resets_at: _, ...details } = body.error.details;
    assert.deepEqual(details, { reason: 'active_messages', quota: 0, used: 0, limit: 0 });
  });
});
