import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './state.ts';

/** How the next webhooks arrive. */
export interface Delivery {
  /** Each webhook is delivered this many times. */
  copies: number;
  /** Webhooks are held until this many wait, and are then delivered in reverse order. */
  reverse: number;
}

/** Signs webhooks and repeats each until the receiver responds with 200, like the network. */
export class Webhooks {
  delivery: Delivery = { copies: 1, reverse: 0 };
  readonly refused: number[] = [];
  #held: (() => void)[] = [];
  #stopped = false;

  push(account: Account, field: string, value: object, { unsubscribed = false } = {}): void {
    if (account.webhook_url === null || !(account.subscribed || unsubscribed)) return;
    const { webhook_url: url, waba_id: waba, app_secret: secret } = account;
    const body = escapeUnicode(
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: waba, time: Math.floor(Date.now() / 1000), changes: [{ field, value }] }],
      }),
    );
    const start = () => {
      for (let copy = 0; copy < this.delivery.copies; copy += 1) void this.#deliver(url, body, secret);
    };
    this.#held.push(start);
    // Zero delivers at once.
    if (this.#held.length >= this.delivery.reverse) this.release();
  }

  release(): void {
    const held = this.#held.toReversed();
    this.#held = [];
    for (const start of held) start();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #deliver(url: string, body: string, secret: string): Promise<void> {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    for (let pauseMs = 50; !this.#stopped; pauseMs = Math.min(1000, pauseMs * 2)) {
      const status = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
        body,
      }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      );
      if (status === 200) return;
      this.refused.push(status);
      await delay(pauseMs, undefined, { ref: false });
    }
  }
}

/** The network writes other characters than those of ASCII as escapes, and signs that. */
const escapeUnicode = (json: string): string =>
  json.replace(/[^\0-~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Asks the receiver to prove that it knows the verify token. Returns whether it did. */
export async function verifyWebhook(url: string, verifyToken: string): Promise<boolean> {
  const challenge = String(Math.floor(Math.random() * 1e9));
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.challenge': challenge,
    'hub.verify_token': verifyToken,
  });
  const response = await fetch(`${url}?${query}`);
  return response.status === 200 && (await response.text()) === challenge;
}
