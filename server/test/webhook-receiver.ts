import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import type { ReceivedDelivery, ReceiverSettings } from './webhook-receiver-process.ts';

export interface WebhookReceiver {
  /** `host:port`, for `WEBHOOK_ALLOWED_HOSTS`. */
  host: string;
  url(path: string): string;
  /** Resolves when the receiver behaves so. */
  set(settings: ReceiverSettings): Promise<void>;
  received(
    path: string,
  ): (ReceivedDelivery & { event: { id: string; type: string; data: Record<string, unknown> } })[];
}

/** Starts receivers of webhooks in another process. It ends after the tests. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const child = fork(new URL('webhook-receiver-process.ts', import.meta.url), { stdio: 'inherit' });
  after(() => child.disconnect());
  const [address] = (await once(child, 'message')) as [{ port: number }];
  const deliveries: ReceivedDelivery[] = [];
  const waiting = new Map<string, () => void>();
  child.on('message', (message: ReceivedDelivery | { set: string }) => {
    if ('set' in message) waiting.get(message.set)?.();
    else deliveries.push(message);
  });
  const host = `127.0.0.1:${address.port}`;
  return {
    host,
    url: (path) => `http://${host}${path}`,
    set(settings) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(settings.path, resolve);
      child.send(settings);
      return promise;
    },
    received: (path) =>
      deliveries
        .filter((delivery) => delivery.path === path)
        .map((delivery) => ({ ...delivery, event: JSON.parse(delivery.body) })),
  };
}
