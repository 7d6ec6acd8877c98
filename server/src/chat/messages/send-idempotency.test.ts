import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addDevice, linkDevice, newPhone } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { promptly } from '../../../test/promptly.ts';
import { contact, startSendingApp } from '../../../test/senders.ts';
import { fetchImage } from '../../platform/outbound/fetch-image.ts';
import { type OutboundCause, outboundFailure } from '../../platform/outbound/outbound-error.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startSendingApp();
const { addSender, fetched, network, send, sources, usedBy } = app;
const { db } = app.context;

describe('send with an Idempotency-Key', () => {
  test('returns the first response to a repeat and sends one message', async () => {
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

  test('sends once for many concurrent requests', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(sender, {}, key)));
    assert.ok(
      answers.every(({ status, body }) => status === 200 || body.details.reason === 'idempotency_in_flight'),
    );
    assert.equal(await usedBy(sender.teamId), 1);
  });

  test('returns recipient_unknown again', async () => {
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

describe('send of an image with an Idempotency-Key', () => {
  test('fetches the image once', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const members = { image_url: `https://example.com/${newId()}.png` };
    const first = await send(sender, members, key);
    const repeat = await send(sender, members, key);
    assert.equal(repeat.body.data.messageId, first.body.data.messageId);
    assert.equal(fetched.filter((url) => url === members.image_url).length, 1);
  });
});

const failing = (kind: OutboundCause) => async () => Promise.reject(outboundFailure(kind, 'not now'));
const responding = (status: number) => async () => ({ status, headers: {}, body: Buffer.alloc(0) });

for (const { name, cause, call, isStored } of [
  { name: 'an unknown host', cause: 'host_unknown', call: failing('host_unknown'), isStored: false },
  { name: 'an unreachable host', cause: 'unreachable', call: failing('unreachable'), isStored: false },
  { name: 'a timeout', cause: 'timeout', call: failing('timeout'), isStored: false },
  { name: 'status 429', cause: 'bad_status', call: responding(429), isStored: false },
  { name: 'status 503', cause: 'bad_status', call: responding(503), isStored: false },
  { name: 'status 404', cause: 'bad_status', call: responding(404), isStored: true },
  { name: 'a private address', cause: 'not_public', call: failing('not_public'), isStored: true },
] as const) {
  const outcome = isStored ? 'returns the refusal again' : 'fetches the image again';
  test(`${outcome} under the same key after ${name}`, async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const members = { image_url: `https://example.com/${newId()}.png` };
    const usual = sources.fetchImage;
    sources.fetchImage = (url, options) => fetchImage(call, url, options);
    const first = await send(sender, members, key);
    sources.fetchImage = usual;
    assert.deepEqual(first.body.details, { reason: 'image_unavailable', cause });
    const repeat = await send(sender, members, key);
    if (isStored) assert.deepEqual(repeat.body, first.body);
    else assert.equal(repeat.status, 200, JSON.stringify(repeat.body));
  });
}

describe('concurrent requests with one Idempotency-Key', () => {
  test('fetch and rewrite once', async () => {
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

  test('return the stored refusal after the first request was refused', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    const members = { image_url: `https://example.com/missing-${newId()}.png` };
    const first = await send(sender, members, key);
    const repeat = await send(sender, members, key);
    assert.equal(first.body.details.reason, 'image_unavailable');
    assert.deepEqual([repeat.body, repeat.headers.get('idempotent-replayed')], [first.body, 'true']);
    assert.equal(fetched.filter((url) => url === members.image_url).length, 1);
  });

  test('can retry after the first request failed', async () => {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    sources.synthesize = async () => Promise.reject(new Error('hoarse'));
    const first = await send(sender, { send_as_audio: true }, key);
    assert.deepEqual([first.status, first.body.details.reason], [500, 'speech_failed']);
    sources.synthesize = async () => ({
      bytes: Buffer.from('OggS'),
      seconds: 2,
      waveform: new Uint8Array(64),
    });
    const repeat = await send(sender, { send_as_audio: true }, key);
    sources.synthesize = null;
    assert.equal(repeat.status, 200, JSON.stringify(repeat.body));
  });
});

describe('a repeat after the first request ended without a response', () => {
  /** Accepts a message that the network has not acknowledged. */
  async function acceptUnacknowledged() {
    const sender = await addSender();
    const key = { 'idempotency-key': newId() };
    await network.fault(sender.phone, 'delay_acks', { ms: 5000 });
    const first = send(sender, {}, key);
    await eventually(async () => assert.equal((await network.received(contact, sender.phone)).length, 1));
    return { sender, first, repeat: () => send(sender, {}, key) };
  }

  test('returns the acceptance at once and sends nothing again', async () => {
    const { sender, first, repeat } = await acceptUnacknowledged();
    const { status, headers, body } = await repeat();
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(headers.get('idempotent-replayed'), 'true');
    assert.equal(body.data.status, 'accepted');
    assert.equal((await first).body.data.messageId, body.data.messageId);
    assert.equal(await usedBy(sender.teamId), 1);
  });

  test('follows the message: first accepted, later sent', async () => {
    const { repeat } = await acceptUnacknowledged();
    const { messageId } = (await repeat()).body.data;
    await sql`update messages set status = 'delivered' where id = ${messageId}`.execute(db);
    assert.equal((await repeat()).body.data.status, 'sent');
  });

  for (const [failure, status] of [
    ['recipient_unknown', 400],
    ['network_refused', 500],
  ] as const) {
    test(`returns ${status} ${failure} once the message was refused and refunded`, async () => {
      const { sender, repeat } = await acceptUnacknowledged();
      const { messageId } = (await repeat()).body.data;
      await sql`
        update messages set status = 'refused', failure = ${failure}, refunded = true where id = ${messageId}`.execute(
        db,
      );
      for (let n = 0; n < 2; n += 1) {
        const answer = await repeat();
        assert.deepEqual([answer.status, answer.body.details.reason], [status, failure]);
        assert.equal(answer.headers.get('idempotent-replayed'), 'true');
      }
      const { rows } = await sql`select from messages where device_id = ${sender.deviceId}`.execute(db);
      assert.equal(rows.length, 1);
    });
  }
});

test('a message that the live path refused is refused again and not sent again', async () => {
  const sender = await addSender();
  const key = { 'idempotency-key': newId() };
  await network.fault(sender.phone, 'refuse_next');
  const first = await send(sender, {}, key);
  const repeat = await send(sender, {}, key);
  assert.deepEqual([first.status, first.body.details.reason], [500, 'network_refused']);
  assert.deepEqual([repeat.status, repeat.body], [first.status, first.body]);
  assert.deepEqual(
    [await usedBy(sender.teamId), (await network.received(contact, sender.phone)).length],
    [0, 0],
  );
});

test('sends of a team whose month is locked delay no send of another team', async () => {
  const [locked, other] = [await addSender(), await addSender()];
  const keyed = () => ({ 'idempotency-key': newId() });
  assert.equal((await send(locked, {}, keyed())).status, 200);
  const held = await db.transaction().execute(async (tx) => {
    await sql`select from monthly_usage where team_id = ${locked.teamId} for update`.execute(tx);
    const waiting = Array.from({ length: 24 }, () => send(locked, {}, keyed()));
    await waitForLockWaiter(db);
    for (let n = 0; n < 3; n += 1) assert.equal((await promptly(send(other, {}, keyed()))).status, 200);
    return { waiting };
  });
  for (const { status } of await Promise.all(held.waiting)) assert.equal(status, 200);
  assert.equal(await usedBy(locked.teamId), 25);
});

test('sends through many devices of a locked team, with a global key, delay no other team', async () => {
  const [locked, other] = [await addSender(), await addSender()];
  const keyed = () => ({ 'idempotency-key': newId() });
  const devices = [locked];
  for (let n = 0; n < 5; n += 1) {
    const deviceId = await addDevice(app, locked);
    await linkDevice(app, deviceId, newPhone());
    devices.push({ ...locked, deviceId });
  }
  for (const device of devices) assert.equal((await send(device, {}, keyed())).status, 200);
  const held = await db.transaction().execute(async (tx) => {
    await sql`select from monthly_usage where team_id = ${locked.teamId} for update`.execute(tx);
    const waiting = devices.flatMap((device) => Array.from({ length: 6 }, () => send(device, {}, keyed())));
    await waitForLockWaiter(db);
    for (let n = 0; n < 3; n += 1) assert.equal((await promptly(send(other, {}, keyed()))).status, 200);
    return { waiting };
  });
  for (const { status } of await Promise.all(held.waiting)) assert.equal(status, 200);
});

test('a device has at most eight images in memory until they are stored, and delays no other image', async () => {
  const [locked, other] = [await addSender(), await addSender()];
  const withImage = (path: string) => ({ image_url: `https://example.com/${path}.png` });
  const countFetched = () => fetched.filter((url) => url.includes(locked.deviceId)).length;
  assert.equal((await send(locked)).status, 200);
  const held = await db.transaction().execute(async (tx) => {
    await sql`select from monthly_usage where team_id = ${locked.teamId} for update`.execute(tx);
    const waiting = Array.from({ length: 24 }, () => send(locked, withImage(locked.deviceId)));
    await waitForLockWaiter(db);
    await eventually(async () => assert.ok(countFetched() >= 8));
    for (let n = 0; n < 3; n += 1)
      assert.equal((await promptly(send(other, withImage(newId())))).status, 200);
    assert.equal(countFetched(), 8);
    return { waiting };
  });
  for (const { status } of await Promise.all(held.waiting)) assert.equal(status, 200);
  assert.equal(await usedBy(locked.teamId), 25);
});

test('device_not_connected is not stored', async () => {
  const sender = await addSender();
  const key = { 'idempotency-key': newId() };
  const setConnected = (connected: boolean) =>
    sql`update devices set connected = ${connected} where id = ${sender.deviceId}`.execute(db);
  await setConnected(false);
  assert.equal((await send(sender, {}, key)).body.details.reason, 'device_not_connected');
  await setConnected(true);
  assert.equal((await send(sender, {}, key)).status, 200);
});
