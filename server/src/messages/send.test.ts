import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  addDevice,
  addTeamWithBot,
  type DevicesApp,
  link,
  newPhone,
  startDevicesApp,
} from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { connectionRoutes } from '../devices/connection.routes.ts';
import { deviceRoutes } from '../devices/devices.routes.ts';
import { badRequest } from '../http/errors.ts';
import { newId } from '../shared/ids.ts';
import { messageRoutes } from './messages.routes.ts';
import type { MessageSources } from './prepare-message.ts';
import { sendRoutes } from './send.routes.ts';

const contact = '+15550199';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const fetched: string[] = [];

/** What the outside answers; a test replaces what it is about. */
const sources: MessageSources = {
  async fetchImage(url) {
    fetched.push(url);
    if (url.includes('missing')) throw badRequest('image_unavailable', 'not there');
    return { bytes: png, mimeType: 'image/png' };
  },
  speech: null,
  rewrite: null,
};

const app = await startDevicesApp({
  routes: (f) => [
    deviceRoutes(f),
    connectionRoutes(f),
    messageRoutes(f),
    sendRoutes({ ...f, settleTimeoutMs: 1500, sources }),
  ],
});
const { db } = app.foundations;
const { network } = app;
await app.startPool({ ackTimeoutMs: 300 });

interface Sender {
  teamId: string;
  botId: string;
  deviceId: string;
  phone: string;
}

async function addSender(options: { plan?: string } = {}): Promise<Sender> {
  const ids = await addTeamWithBot(db, options);
  const deviceId = await addDevice(app, ids);
  const phone = newPhone();
  await link(app, deviceId, phone);
  return { ...ids, deviceId, phone };
}

const send = (
  sender: Pick<Sender, 'deviceId'>,
  members: object = {},
  headers: Record<string, string> = {},
): ReturnType<DevicesApp['api']> =>
  app.api('POST', '/send', {
    body: {
      device_id: sender.deviceId,
      message: 'Your bicycle is ready',
      destination_number: contact,
      ...members,
    },
    headers,
  });

async function usedBy(teamId: string): Promise<number> {
  const row = await db
    .selectFrom('monthly_usage')
    .select((eb) => eb.fn.sum<number>('active_messages').as('used'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  return Number(row.used ?? 0);
}

/** A plan of its own, for teams whose quota a test uses up. */
async function addPlan(quota: number): Promise<string> {
  const name = `plan-${newId()}`;
  await sql`
    insert into plans (name, allow_active_messaging, active_messages_monthly, paying, bots, accounts, characters,
                       documents, members, credits)
    values (${name}, true, ${quota}, true, 9, 9, 9, 9, 9, 9)`.execute(db);
  return name;
}

describe('an active message', () => {
  test('is charged, handed to the network and answered with the use of the month', async () => {
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

  test('is accepted exactly as often as the quota and its margin allow, however many come at once', async () => {
    const sender = await addSender({ plan: await addPlan(30) });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        send(sender, { destination_number: `+1555020${String(i).padStart(4, '0')}` }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 31);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.every(({ status }) => status === 429));
    assert.deepEqual(refused[0]?.body.error, {
      message: "The month's active messages are used up",
      code: 'RATE_LIMIT_EXCEEDED',
      details: { reason: 'active_messages', quota: 30, used: 31, limit: 31 },
    });
    assert.equal(refused[0]?.headers.get('x-ratelimit-remaining'), '0');
    assert.equal(await usedBy(sender.teamId), 31);
    const { rows } = await sql<{ sent: number }>`
      select count(*) as sent from messages where device_id = ${sender.deviceId} and status <> 'accepted'`.execute(
      db,
    );
    assert.equal(rows[0]?.sent, 31);
  });

  test('that the network refuses is not charged', async () => {
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

  test('whose acknowledgement is lost reaches the contact as one message and stays charged', async () => {
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

  test('keeps the order of a chat', async () => {
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

describe('an Idempotency-Key', () => {
  test('makes repeats one message with one answer', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const first = await send(sender, {}, key);
    const repeat = await send(sender, {}, key);
    assert.equal(first.status, 200);
    assert.deepEqual(repeat.body, first.body);
    assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
    assert.equal(repeat.headers.get('x-ratelimit-used'), '1');
    assert.equal((await network.received(contact, sender.phone)).length, 1);
  });

  test('lets exactly one of many concurrent requests send', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(sender, {}, key)));
    assert.ok(
      answers.every(({ status, body }) => status === 200 || body.details.reason === 'idempotency_in_flight'),
    );
    assert.equal(await usedBy(sender.teamId), 1);
  });

  test('keeps a refusal by the network as the answer when it says that the number is unknown', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const members = { destination_number: '+9995550100' };
    const first = await send(sender, members, key);
    const repeat = await send(sender, members, key);
    assert.equal(first.body.details.reason, 'recipient_unknown');
    assert.deepEqual(repeat.body, first.body);
    assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
  });
});

describe('an Idempotency-Key of a message with an image', () => {
  test('keeps the image from being fetched again', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const members = { image_url: `https://example.com/${newId()}.png` };
    const first = await send(sender, members, key);
    const repeat = await send(sender, members, key);
    assert.deepEqual(repeat.body, first.body);
    assert.equal(fetched.filter((url) => url === members.image_url).length, 1);
  });
});

describe('requests under one Idempotency-Key at the same time', () => {
  test('fetch and rewrite once, whichever comes first', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const gate = Promise.withResolvers<string>();
    let asked = 0;
    sources.rewrite = () => {
      asked += 1;
      return gate.promise;
    };
    const members = { image_url: `https://example.com/${newId()}.png`, ai_generates_message: true };
    const requests = Array.from({ length: 8 }, () => send(sender, members, key));
    let refused = 0;
    for (const request of requests) void request.then(({ status }) => (refused += Number(status === 400)));
    await eventually(async () => assert.equal(refused, 7));
    gate.resolve('Rewritten');
    const answers = await Promise.all(requests);
    sources.rewrite = null;
    assert.deepEqual(answers.map(({ body }) => body.details?.reason ?? body.data.generation).sort(), [
      'generated',
      ...Array<string>(7).fill('idempotency_in_flight'),
    ]);
    assert.deepEqual([asked, fetched.filter((url) => url === members.image_url).length], [1, 1]);
    assert.equal(await usedBy(sender.teamId), 1);
  });

  test('find the key free again, and the refusal as its answer, after a first one that was refused', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const members = { image_url: `https://example.com/missing-${newId()}.png` };
    const first = await send(sender, members, key);
    const repeat = await send(sender, members, key);
    assert.equal(first.body.details.reason, 'image_unavailable');
    assert.deepEqual([repeat.body, repeat.headers.get('idempotent-replayed')], [first.body, 'true']);
    assert.equal(fetched.filter((url) => url === members.image_url).length, 1);
  });

  test('find the key free again after a first one that could not be answered', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    sources.speech = { synthesize: async () => Promise.reject(new Error('hoarse')) };
    const first = await send(sender, { send_as_audio: true }, key);
    assert.deepEqual([first.status, first.body.details.reason], [500, 'speech_failed']);
    sources.speech = {
      synthesize: async () => ({ bytes: Buffer.from('OggS'), seconds: 2, waveform: new Uint8Array(64) }),
    };
    const repeat = await send(sender, { send_as_audio: true }, key);
    sources.speech = null;
    assert.equal(repeat.status, 200, JSON.stringify(repeat.body));
  });
});

describe('a request whose process dies before it answers', () => {
  test('is answered with its acceptance when it is repeated, and nothing is sent again', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    await network.fault(sender.phone, 'delay_acks', { ms: 1000 });
    const first = send(sender, {}, key);
    await eventually(async () => assert.equal((await network.received(contact, sender.phone)).length, 1));
    await sql`update idempotency_keys set claimed_until = now() where key = ${key['idempotency-key']}`.execute(
      db,
    );
    const repeat = await send(sender, {}, key);
    assert.equal(repeat.status, 200, JSON.stringify(repeat.body));
    assert.equal(repeat.headers.get('idempotent-replayed'), 'true');
    assert.equal(repeat.body.data.status, 'accepted');
    assert.equal((await first).body.data.messageId, repeat.body.data.messageId);
    assert.equal(await usedBy(sender.teamId), 1);
  });
});

describe('what goes out with a message', () => {
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
    sources.speech = {
      synthesize: async () => ({ bytes: Buffer.from('OggS'), seconds: 2, waveform: new Uint8Array(64) }),
    };
    const { status } = await send(sender, { image_url: 'https://example.com/a.png', send_as_audio: true });
    sources.speech = null;
    assert.equal(status, 200);
    const received = await network.received(contact, sender.phone);
    assert.deepEqual(
      received.map(({ kind }) => kind),
      ['image', 'voice'],
    );
    assert.equal(await usedBy(sender.teamId), 1);
  });

  test('is refused uncharged when the image is not there or nothing speaks here', async () => {
    const sender = await addSender();
    const image = await send(sender, { image_url: 'https://example.com/missing.png' });
    assert.equal(image.body.details.reason, 'image_unavailable');
    const voice = await send(sender, { send_as_audio: true });
    assert.equal(voice.body.details.reason, 'speech_not_configured');
    assert.equal(await usedBy(sender.teamId), 0);
  });

  test("are the AI's words, and the written ones when it has none", async () => {
    const sender = await addSender();
    const asWritten = await send(sender, { ai_generates_message: true });
    assert.equal(asWritten.body.data.generation, 'failed');
    sources.rewrite = async ({ text }) => `${text}, Ada!`;
    const rewritten = await send(sender, { ai_generates_message: true });
    sources.rewrite = null;
    assert.equal(rewritten.body.data.generation, 'generated');
    const received = await network.received(contact, sender.phone);
    assert.deepEqual(
      received.map(({ text }) => text),
      ['Your bicycle is ready', 'Your bicycle is ready, Ada!'],
    );
  });
});

describe('refusals of send, in their order', () => {
  test('a wrong body names every fault', async () => {
    const { status, body } = await app.api('POST', '/send', {
      body: { device_id: 'x', message: '', destination_number: '0', image_mime_type: 'image/png', more: 1 },
    });
    assert.equal(status, 400);
    assert.deepEqual(
      new Set(body.details.issues.map(({ path }: { path: string }) => path)),
      new Set(['device_id', 'message', 'destination_number', 'image_mime_type', 'more']),
    );
  });

  test('the type of an image without an image is a fault', async () => {
    const { body } = await send({ deviceId: newId() }, { image_mime_type: 'image/png' });
    assert.deepEqual(body.details.issues, [{ path: 'image_mime_type', message: 'needs an image_url' }]);
  });

  test('an unknown device is 404, before the plan and the state are looked at', async () => {
    const { status, body } = await send({ deviceId: newId() });
    assert.equal(status, 404);
    assert.equal(body.details.reason, 'device_not_found');
  });

  test('what a deleted team has sent is not to be seen, even before it is purged', async () => {
    const sender = await addSender();
    assert.equal((await send(sender)).status, 200);
    const list = async () => (await app.api('GET', `/messages?device_id=${sender.deviceId}`)).body;
    assert.equal((await list()).meta.total, 1);
    await sql`delete from teams where id = ${sender.teamId}`.execute(db);
    const { data, meta } = await list();
    assert.deepEqual([data, meta.total], [[], 0]);
  });

  test('a device whose team is deleted in the moment of its first message is 404', async () => {
    const sender = await addSender();
    const sending = await db.transaction().execute(async (tx) => {
      await sql`delete from teams where id = ${sender.teamId}`.execute(tx);
      const answer = send(sender);
      await eventually(async () => {
        const { rows } = await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%monthly_usage%'`.execute(
          db,
        );
        assert.equal(rows.length, 1);
      });
      return { answer };
    });
    const { status, body } = await sending.answer;
    assert.deepEqual([status, body.details?.reason], [404, 'device_not_found']);
  });

  test("a device of another team is 404 for a team's key", async () => {
    const sender = await addSender();
    const { teamId } = await addTeamWithBot(db);
    const { token } = await app.issueKey({ teamId });
    const { status } = await app.api('POST', '/send', {
      token,
      body: { device_id: sender.deviceId, message: 'x', destination_number: contact },
    });
    assert.equal(status, 404);
  });

  test('a plan without active messaging is 403, also for a device that is not connected', async () => {
    const ids = await addTeamWithBot(db, { plan: 'free' });
    const { status, body } = await send({ deviceId: await addDevice(app, ids) });
    assert.equal(status, 403);
    assert.equal(body.error.code, 'FEATURE_NOT_AVAILABLE');
    assert.equal(body.error.details.reason, 'active_messaging_not_in_plan');
  });

  test('a banned team, then a device that is not connected, are 400, also with nothing left of the month', async () => {
    const ids = await addTeamWithBot(db, { plan: await addPlan(0) });
    const deviceId = await addDevice(app, ids);
    assert.equal((await send({ deviceId })).body.details.reason, 'device_not_connected');
    await sql`update teams set banned = true where id = ${ids.teamId}`.execute(db);
    assert.equal((await send({ deviceId })).body.details.reason, 'team_banned');
  });

  test('nothing left of the month is 429, also with an image that is not there', async () => {
    const sender = await addSender({ plan: await addPlan(0) });
    const { status, body } = await send(sender, { image_url: 'https://example.com/missing.png' });
    assert.equal(status, 429);
    assert.deepEqual(body.error.details, { reason: 'active_messages', quota: 0, used: 0, limit: 0 });
  });
});
