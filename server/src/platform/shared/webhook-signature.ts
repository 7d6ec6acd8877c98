import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const secretPrefix = 'whsec_';

/** A secret is `whsec_` and base64 of 24 to 64 bytes. */
export const webhookSecretPattern =
  '^whsec_([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/]{4}([A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$';

export interface SignedMessage {
  /** Identifies the message over all retries. Contains no dot. */
  id: string;
  sentAt: Date;
  payload: string;
}

/** Node signs with a key object five times as fast as with its bytes. */
export const readWebhookSecret = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64'));

/** Returns the headers of the Standard Webhooks scheme (standardwebhooks.com), with an HMAC-SHA256 over id, time and payload per key. */
export function signWebhook(
  keys: readonly KeyObject[],
  { id, sentAt, payload }: SignedMessage,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signed = `${id}.${timestamp}.${payload}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
