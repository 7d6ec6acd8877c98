import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook, WebhookVerificationError } from '@parley/sdk';
import { readWebhookSecret, signWebhook } from '../../server/src/platform/shared/webhook-signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_aHVyZG5nYm9ubmFuemVuZGVyYmVyZw==';
const event = {
  id: '01890000-0000-7000-8000-000000000001',
  type: 'message.received',
  created_at: '2026-11-22T10:00:00.000Z',
  team_id: null,
  data: { text: 'Do you lend helmets? 🚲' },
};
const payload = JSON.stringify(event);

const sign = (sentAt = new Date(), by = secret) =>
  signWebhook([readWebhookSecret(by)], { id: event.id, sentAt, payload });

test('returns the event of a genuine delivery, in any form of body and headers', async () => {
  assert.deepEqual(await verifyWebhook(payload, sign(), secret), event);
  assert.deepEqual(
    await verifyWebhook(new TextEncoder().encode(payload), new Headers(sign()), secret),
    event,
  );
});

test('accepts each of several secrets and signatures while a secret is being replaced', async () => {
  assert.deepEqual(await verifyWebhook(payload, sign(), [otherSecret, secret]), event);
  const [old, current] = [sign(new Date(), otherSecret), sign()];
  const both = {
    ...current,
    'webhook-signature': `${old['webhook-signature']} v1a,unknown ${current['webhook-signature']}`,
  };
  assert.deepEqual(await verifyWebhook(payload, both, secret), event);
});

test('refuses a changed body, id, time and secret, and a delivery that is too old', async () => {
  const headers = sign();
  const tooOld = sign(new Date(Date.now() - 301_000));
  const forgeries: [string, Record<string, string>, string][] = [
    [payload.replace('helmets', 'bikes'), headers, secret],
    [payload, { ...headers, 'webhook-id': 'another' }, secret],
    [payload, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, secret],
    [payload, { ...headers, 'webhook-timestamp': 'now' }, secret],
    [payload, headers, otherSecret],
    [payload, { ...headers, 'webhook-signature': 'v1,' }, secret],
    [payload, { ...headers, 'webhook-signature': 'v1,***' }, secret],
    [payload, { 'webhook-id': event.id }, secret],
    [payload, tooOld, secret],
    [payload, sign(new Date(Date.now() + 301_000)), secret],
  ];
  for (const [body, signed, by] of forgeries)
    await assert.rejects(verifyWebhook(body, signed, by), WebhookVerificationError);
  assert.deepEqual(await verifyWebhook(payload, tooOld, secret, { toleranceSeconds: 600 }), event);
});

test('says whether the secret or the signature is unusable', async () => {
  const headers = sign();
  await assert.rejects(verifyWebhook(payload, headers, 'whsec_*'), /The secret is not Base64/);
  await assert.rejects(verifyWebhook(payload, headers, ''), /The secret is empty/);
  const garbled = { ...headers, 'webhook-signature': 'v1,***' };
  await assert.rejects(verifyWebhook(payload, garbled, secret), /webhook-signature is not Base64/);
});

test('verifies the example of the Standard Webhooks specification', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const options = { toleranceSeconds: Number.POSITIVE_INFINITY };
  assert.deepEqual(await verifyWebhook('{"test": 2432232314}', headers, secret, options), {
    test: 2432232314,
  });
});
