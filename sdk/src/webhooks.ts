import type { WebhookEvent } from './types.ts';

type SignedHeaders = Headers | Record<string, string | readonly string[] | undefined>;

/** A delivery that does not come from the deployment, or that is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Returns the event of a webhook delivery after checking its signature (Standard Webhooks) and its age. `body` must be the
 * exact body of the request. `secret` may be a list while a secret is being replaced. Throws WebhookVerificationError.
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: SignedHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => decodeBase64(signature.slice(3), 'webhook-signature'));
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds)
    throw new WebhookVerificationError(
      `webhook-timestamp ${timestamp} is more than ${toleranceSeconds} s off`,
    );
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const each of [secret].flat()) {
    // Without types, a variable that is not set arrives here as undefined.
    const bytes = decodeBase64(each?.replace(/^whsec_/, '') ?? '', 'The secret');
    if (bytes.length === 0) throw new WebhookVerificationError('The secret is empty');
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(text);
  }
  throw new WebhookVerificationError('webhook-signature does not match the body and the secret');
}

function readHeader(headers: SignedHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string') throw new WebhookVerificationError(`The header ${name} is missing`);
  return value;
}

function decodeBase64(text: string, name: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookVerificationError(`${name} is not Base64`);
  }
}
