import { presentEvent } from '../events/present-event.ts';
import type { OutboundSession } from '../outbound/outbound.ts';
import type { Encryption } from '../shared/encryption.ts';
import { type AttemptOutcome, attempt, type WebhookOutbound } from './attempt.ts';
import type { ClaimedWebhook, DueDelivery } from './deliveries.queries.ts';
import { createPayload } from './payload.ts';
import { createSign, type Sign } from './secrets.ts';

/** Attempts at once to one receiver. A receiver that failed gets one at a time. */
const maxTogether = 16;
/** Deliveries that are read ahead, so that the attempts do not wait for the database. */
const maxQueued = 200;

interface ReceiverDependencies {
  outbound: WebhookOutbound;
  encryption: Pick<Encryption, 'open'>;
  finish(delivery: DueDelivery, outcome: AttemptOutcome): void;
}

/** The queue of one claimed webhook in this process. */
export class Receiver {
  #webhook: ClaimedWebhook;
  #session: OutboundSession;
  #sign: Sign;
  readonly #queue: DueDelivery[] = [];
  readonly #running = new Map<string, DueDelivery>();
  readonly #deps: ReceiverDependencies;
  readonly #stop = new AbortController();

  constructor(webhook: ClaimedWebhook, deps: ReceiverDependencies) {
    this.#webhook = webhook;
    this.#deps = deps;
    this.#session = deps.outbound.open(webhook.url, { connections: maxTogether });
    this.#sign = createSign(deps.encryption, webhook);
  }

  /** Takes over changes of the webhook. */
  update(webhook: ClaimedWebhook): void {
    const { url, secret_sealed: secret, previous_secret_sealed: previous } = this.#webhook;
    if (webhook.url !== url) {
      void this.#session.close();
      this.#session = this.#deps.outbound.open(webhook.url, { connections: maxTogether });
    }
    const isSame = (a: Buffer | null, b: Buffer | null) => (a === null || b === null ? a === b : a.equals(b));
    if (!isSame(secret, webhook.secret_sealed) || !isSame(previous, webhook.previous_secret_sealed)) {
      this.#sign = createSign(this.#deps.encryption, webhook);
    }
    this.#webhook = webhook;
  }

  get isFailing(): boolean {
    return this.#webhook.failing_since !== null;
  }

  /** How many more deliveries to read. A failing webhook needs few. */
  get room(): number {
    const limit = this.isFailing ? 1 : maxQueued;
    const known = this.#queue.length + this.#running.size;
    return known > limit / 2 ? 0 : limit - known;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#running.size === 0;
  }

  known(): { webhookId: string; eventId: string }[] {
    const webhookId = this.#webhook.id;
    const all = [...this.#running.values(), ...this.#queue];
    return all.map(({ event_id: eventId }) => ({ webhookId, eventId }));
  }

  add(delivery: DueDelivery): void {
    this.#queue.push(delivery);
    this.#startNext();
  }

  /** Frees the place of a delivery whose outcome is stored. */
  settle({ event_id: eventId }: DueDelivery, { failed }: { failed: boolean }): void {
    this.#running.delete(eventId);
    if (failed) this.#queue.length = 0;
    this.#webhook = {
      ...this.#webhook,
      failing_since: failed ? (this.#webhook.failing_since ?? new Date()) : null,
    };
    this.#startNext();
  }

  /** Aborts the running attempts. They count as not made, and another process repeats them. */
  async close(): Promise<void> {
    this.#queue.length = 0;
    this.#stop.abort(new Error('the worker stops'));
    await this.#session.close();
  }

  #startNext(): void {
    const limit = this.isFailing ? 1 : maxTogether;
    while (this.#running.size < limit) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) return;
      this.#running.set(delivery.event_id, delivery);
      void this.#deliver(delivery);
    }
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const { event_id: id } = delivery;
    const payload = createPayload(presentEvent({ ...delivery, id }), this.#webhook);
    try {
      const outcome = await attempt(this.#session, payload, this.#sign(id, payload), this.#stop.signal);
      this.#deps.finish(delivery, outcome);
    } catch {
      this.#running.delete(id);
    }
  }
}
