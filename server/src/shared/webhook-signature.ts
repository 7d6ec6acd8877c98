import { createHmac } from 'node:crypto';

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

/** Returns the headers of the Standard Webhooks scheme (standardwebhooks.com), with an HMAC-SHA256 over id, time and payload. */
export function signWebhook(
  secret: string,
  { id, sentAt, payload }: SignedMessage,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
