import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/eventually.ts';
import { contact, startSendingApp } from '../../test/senders.ts';
import { newId } from '../shared/ids.ts';

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

  test('stores recipient_unknown as the response', async () => {
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
    assert.deepEqual(repeat.body, first.body);
    assert.equal(fetched.filter((url) => url === members.image_url).length, 1);
  });
});

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

describe('a request whose process dies before it responds', () => {
  test('returns the acceptance to a repeat and sends nothing again', async () => {
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
