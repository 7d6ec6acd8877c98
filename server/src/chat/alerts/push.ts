import { createHash } from 'node:crypto';
import type { RequestOptions } from 'web-push';
import type { Database } from '../../platform/database/database.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Encryption, SealedColumn } from '../../platform/shared/encryption.ts';
import { insertPushKeys, selectPushKeys } from './alerts.queries.ts';
import type { AddPushSubscription } from './alerts.schemas.ts';

const keyContext = (publicKey: string): string => `push_keys:${publicKey}`;
export const subscriptionContext = (id: string): string => `push_subscriptions:${id}`;

export const sealedPushColumns: readonly SealedColumn[] = [
  { table: 'push_keys', column: 'private_key_sealed', identity: ['public_key'], context: keyContext },
  {
    table: 'push_subscriptions',
    column: 'subscription_sealed',
    identity: ['id'],
    context: subscriptionContext,
  },
];

export const hashEndpoint = (endpoint: string): Buffer => createHash('sha256').update(endpoint).digest();

type Keys = { publicKey: string; privateKey: string };

/** The library takes memory that only a deployment with subscribed browsers needs. */
const loadWebPush = async () => (await import('web-push')).default;

/** The key pair of RFC 8292 by which push services know this deployment. The first call creates it. */
export async function openPushKeys(
  db: Database,
  { seal, open }: Pick<Encryption, 'seal' | 'open'>,
): Promise<Keys> {
  const known = await selectPushKeys(db);
  if (known !== undefined) {
    const { public_key: publicKey, private_key_sealed: sealed } = known;
    return { publicKey, privateKey: open(sealed, keyContext(publicKey)).toString() };
  }
  const { publicKey, privateKey } = (await loadWebPush()).generateVAPIDKeys();
  await insertPushKeys(db, publicKey, seal(Buffer.from(privateKey), keyContext(publicKey)));
  return openPushKeys(db, { seal, open });
}

/** What the service worker of the console shows. It names no contact and no text of a message. */
export interface PushContent {
  title: string;
  body: string;
  /** Below `/console`. */
  path: string;
}

const maxSeconds = 3600;
const limits = { maxBytes: 10_000, timeoutMs: 10_000 };

/** Encrypts the content for the browser (RFC 8291) and gives it to its push service. Returns `gone` for a browser that unsubscribed. */
export async function push(
  { outbound, keys, subject }: { outbound: Pick<Outbound, 'call'>; keys: Keys; subject: string },
  subscription: AddPushSubscription,
  content: PushContent,
  signal: AbortSignal,
): Promise<'accepted' | 'gone'> {
  const options: RequestOptions = {
    vapidDetails: { subject, ...keys },
    TTL: maxSeconds,
    urgency: 'high',
    topic: 'waiting',
  };
  const webPush = await loadWebPush();
  const { endpoint, headers, body } = webPush.generateRequestDetails(
    subscription,
    JSON.stringify(content),
    options,
  );
  const response = await outbound.call(
    { url: endpoint, method: 'POST', headers: toTexts(headers), body },
    { ...limits, signal },
  );
  if (response.status === 404 || response.status === 410) return 'gone';
  if (response.status >= 200 && response.status < 300) return 'accepted';
  throw new Error(`the push service returned ${response.status}`);
}

/** The HTTP client counts the body itself. */
const toTexts = (headers: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.toLowerCase() !== 'content-length')
      .map(([name, value]) => [name, String(value)]),
  );
