import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWebhookSecret, signWebhook, webhookSecretPattern } from './webhook-signature.ts';

test('signs the example of the Standard Webhooks specification', () => {
  assert.deepEqual(
    signWebhook([readWebhookSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')], {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      sentAt: new Date(1_614_265_330_999),
      payload: '{"test": 2432232314}',
    }),
    {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  );
});

test('accepts secrets of 24 to 64 bytes', () => {
  const pattern = new RegExp(webhookSecretPattern);
  for (let bytes = 0; bytes < 90; bytes += 1) {
    const isAccepted = pattern.test(`whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`);
    assert.equal(isAccepted, bytes >= 24 && bytes <= 64, `${bytes} bytes`);
  }
  const base64 = Buffer.alloc(24, 0xfb).toString('base64');
  for (const wrong of [
    base64,
    `whsec_${base64}=`,
    `whsec_${base64.replaceAll('+', '-')}`,
    `whsec_ ${base64}`,
  ]) {
    assert.equal(pattern.test(wrong), false, wrong);
  }
});
