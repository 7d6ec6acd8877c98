import type { OutboundSession } from '../../platform/outbound/session.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { presentEvent } from '../events/present-event.ts';
import { type AttemptOutcome, attempt, type WebhookOutbound } from './attempt.ts';
import type { ClaimedWebhook, DueDelivery, Room } from './deliveries.queries.ts';
import { createPayload } from './payload.ts';
import { createSign, type Sign } from './secrets.ts';

/** Attempts at once to one receiver. A receiver that failed gets one at a time. */
const maxTogether = 16;
/** Deliveries that are read ahead or whose outcome is being stored, so that the attempts do not wait for the database. */
const maxKnown = 2_000;
/** Of their data. An event can have 256 KiB, and each attempt also holds its request. */
const maxKnownBytes = 2 * 1024 * 1024;

interface WebhookQueueDependencies {
  outbound: WebhookOutbound;
  encryption: Pick<Encryption, 'open'>;
  /** `wasFailing` is the state of the webhook before the attempt. Calls `settle` when the outcome is stored. */
  finish(delivery: DueDelivery, outcome: AttemptOutcome, wasFailing: boolean): void;
}

/** The queue of one claimed webhook in this process. */
export class WebhookQueue {
  #webhook: ClaimedWebhook;
  #session: OutboundSession;
  #sign: Sign;
  readonly #queue: DueDelivery[] = [];
  readonly #running = new Map<string, DueDelivery>();
  /** Attempts whose outcome is not stored yet. They no longer count as running. */
  readonly #storing = new Map<string, DueDelivery>();
  /** Of the data of all known deliveries. */
  #bytes = 0;
  /** Moving average of the data of a delivery. */
  #usualBytes = 1;
  readonly #deps: WebhookQueueDependencies;

  constructor(webhook: ClaimedWebhook, deps: WebhookQueueDependencies) {
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

  get #isFailing(): boolean {
    return this.#webhook.failing_since !== null;
  }

  /** Space for deliveries to read; null until half of it is free. A failing webhook needs few. */
  get room(): Room | null {
    const limit = this.#isFailing ? 1 : maxKnown;
    const known = this.#queue.length + this.#running.size + this.#storing.size;
    if (known > limit / 2 || this.#bytes > maxKnownBytes / 2) return null;
    const bytes = maxKnownBytes - this.#bytes;
    // To select by size, the database reads the data of each delivery, also of those that do not fit.
    return { deliveries: Math.min(limit - known, Math.ceil(bytes / this.#usualBytes)), bytes };
  }

  known(): { webhookId: string; eventId: string }[] {
    const webhookId = this.#webhook.id;
    const all = [...this.#storing.values(), ...this.#running.values(), ...this.#queue];
    return all.map(({ event_id: eventId }) => ({ webhookId, eventId }));
  }

  add(delivery: DueDelivery): void {
    this.#queue.push(delivery);
    this.#bytes += delivery.data_bytes;
    this.#usualBytes += (delivery.data_bytes - this.#usualBytes) / 16;
    this.#startNext();
  }

  /** From now on, a delivery that is still pending may be read again. */
  settle({ event_id: eventId, data_bytes: bytes }: DueDelivery): void {
    if (this.#storing.delete(eventId)) this.#bytes -= bytes;
  }

  /** Aborts the running attempts. They count as not made, and another process repeats them. */
  async close(): Promise<void> {
    this.#clearQueue();
    await this.#session.close();
  }

  #startNext(): void {
    const limit = this.#isFailing ? 1 : maxTogether;
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
      const outcome = await attempt(this.#session, payload, this.#sign(id, payload));
      const wasFailing = this.#isFailing;
      this.#note(outcome);
      this.#running.delete(id);
      this.#storing.set(id, delivery);
      this.#startNext();
      this.#deps.finish(delivery, outcome, wasFailing);
    } catch {
      if (this.#running.delete(id)) this.#bytes -= delivery.data_bytes;
    }
  }

  /** After a failure, the queue is read again, because few attempts follow. */
  #note({ error }: AttemptOutcome): void {
    if (error !== null) this.#clearQueue();
    const failingSince = error === null ? null : (this.#webhook.failing_since ?? new Date());
    this.#webhook = { ...this.#webhook, failing_since: failingSince };
  }

  #clearQueue(): void {
    for (const { data_bytes: bytes } of this.#queue.splice(0)) this.#bytes -= bytes;
  }
}
