import { readCredentials } from '../credentials.ts';
import {
  type DownReason,
  type NetworkSession,
  NotOwner,
  type OutboundMessage,
  type ReceivedEvent,
  SendOutcomeUnknown,
  SendPostponed,
  type SessionOptions,
} from '../messaging-network.ts';
import { createGraphClient, GraphRefusal, GraphUnreachable } from './graph-client.ts';
import { type CloudNumber, toBodies } from './outbound.ts';
import { isLocked, refusesCredentials, toSendError } from './refusals.ts';
import { type CloudOptions, createEventHandler, type HandleEvent } from './session-events.ts';
import type { CloudEvent } from './webhook-shapes.ts';

interface Open {
  number: CloudNumber;
  handle: HandleEvent;
}

/** Has no connection: it is up while the network accepts the credentials. Its events arrive over the inbox. */
export class CloudSession implements NetworkSession {
  readonly #options: SessionOptions;
  readonly #cloud: CloudOptions;
  readonly #ended: () => void;
  readonly #closing = new AbortController();
  #open: Open | null = null;
  #state: 'opening' | 'up' | 'over' = 'opening';
  /** Handlers run one at a time. */
  #events: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions, cloud: CloudOptions, ended: () => void) {
    this.#options = options;
    this.#cloud = cloud;
    this.#ended = ended;
  }

  start(): void {
    this.#events = this.#comeUp().catch((error: unknown) => this.#fail(error));
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<string> {
    const open = this.#open;
    if (this.#state !== 'up' || open === null) throw new SendPostponed(2);
    const { number } = open;
    const bodies = await toBodies(number, message, signal).catch((error: unknown) => {
      this.#noticeLoss(error);
      const failure = toSendError(error);
      // Nothing was sent yet, whatever became of the file.
      throw failure instanceof SendOutcomeUnknown ? new SendPostponed(5) : failure;
    });
    const [first = {}, ...others] = bodies;
    const id = await this.#post(number, first, signal);
    for (const body of others)
      await this.#post(number, body, signal).catch((error: unknown) =>
        this.#cloud.logger.warn(
          { err: error, deviceId: this.#options.deviceId },
          'a long caption was not sent',
        ),
      );
    return id;
  }

  receive({ payload }: ReceivedEvent): Promise<void> {
    const handled = this.#events.then(() => {
      if (this.#state !== 'up' || this.#open === null) throw new Error('the session is not up');
      // The webhook of this network stored it.
      return this.#open.handle(payload as CloudEvent);
    });
    // The inbox keeps the event.
    this.#events = handled.catch((error: unknown) => {
      if (error instanceof NotOwner) this.#end('closed');
      else this.#noticeLoss(error);
    });
    return handled;
  }

  /** The network keeps no link. The caller deletes the credentials. */
  async logout(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    this.#end('closed');
    await this.#events;
  }

  async #comeUp(): Promise<void> {
    const { store, events, contacts } = this.#options;
    const credentials = await readCredentials(store, 'whatsapp_cloud');
    if (credentials === null) return this.#end('credentials_invalid');
    const {
      access_token: token = '',
      phone_number_id: phoneNumberId = '',
      waba_id: waba = '',
    } = credentials.fields;
    const graph = createGraphClient(this.#cloud.baseUrl, token);
    const { signal } = this.#closing;
    const fields = 'id,display_phone_number,verified_name,quality_rating,throughput';
    const account = await graph.call('GET', `${phoneNumberId}?fields=${fields}`, { signal });
    // Without it, the network pushes nothing. It shows that the token belongs to the business account, too.
    await graph.call('POST', `${waba}/subscribed_apps`, { signal });
    if (this.#state !== 'opening') return;
    const number = { graph, phoneNumberId, contacts };
    this.#open = { number, handle: createEventHandler(this.#options, this.#cloud, number, signal) };
    const shown = String(account['display_phone_number'] ?? '').replace(/\D/g, '');
    await events.up({ phoneNumber: shown === '' ? null : `+${shown}` });
    if (this.#state === 'opening') this.#state = 'up';
  }

  async #post(number: CloudNumber, body: object, signal: AbortSignal): Promise<string> {
    try {
      const sent = await number.graph.call('POST', `${number.phoneNumberId}/messages`, {
        body: { ...body },
        signal,
      });
      const [message] = (sent['messages'] ?? []) as { id?: string }[];
      if (typeof message?.id !== 'string')
        throw new GraphUnreachable(true, new Error('the response has no id'));
      return message.id;
    } catch (error) {
      this.#noticeLoss(error);
      throw toSendError(error);
    }
  }

  /** The credentials stopped to be valid, or the account is locked. */
  #noticeLoss(error: unknown): void {
    if (!(error instanceof GraphRefusal)) return;
    if (refusesCredentials(error)) this.#end('credentials_invalid');
    else if (isLocked(error)) this.#end('suspended');
  }

  #fail(error: unknown): void {
    if (this.#state === 'over') return;
    if (error instanceof NotOwner) {
      this.#end('closed');
      return;
    }
    const { deviceId } = this.#options;
    this.#cloud.logger.warn(
      { err: error, deviceId },
      'closed a session because the network or an event failed',
    );
    if (error instanceof GraphRefusal && isMissing(error)) this.#end('credentials_invalid');
    this.#noticeLoss(error);
    this.#end(error instanceof GraphRefusal ? 'unavailable' : 'connection_lost');
  }

  #end(reason: DownReason): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#closing.abort();
    this.#events = this.#events
      .then(() => this.#options.events.down(reason))
      .catch((error: unknown) => {
        const { deviceId } = this.#options;
        this.#cloud.logger.error({ err: error, deviceId }, 'the `down` handler of a session failed');
      })
      .then(this.#ended);
  }
}

/** The token sees no such phone number or business account. */
const isMissing = ({ status, code }: GraphRefusal): boolean => status === 404 || code === 100 || code === 33;
