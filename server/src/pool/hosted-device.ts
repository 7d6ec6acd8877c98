import {
  type DownReason,
  type InboundMessage,
  type MessagingNetwork,
  type NetworkSession,
  NotOwner,
  type SessionEvents,
  type SessionStore,
} from '../adapters/messaging-network/messaging-network.ts';
import type { Logger } from '../shared/logger.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';
import { type EndReason, PhoneInUse, type SessionRecord } from './session-record.ts';

export interface HostedDeviceOptions {
  deviceId: string;
  network: Pick<MessagingNetwork, 'openSession'>;
  store: SessionStore;
  record: SessionRecord;
  /** How long codes are shown before the device is stopped. */
  pairingTimeoutMs: number;
  logger: Pick<Logger, 'error' | 'info'>;
  receive(message: InboundMessage): Promise<void>;
  receipt(receipt: Parameters<SessionEvents['receipt']>[0]): Promise<void>;
  /** Messages can be sent from now on. */
  onUp(): void;
  /** The device came to an end that `close` did not ask for. */
  onEnded(): void;
}

/** A started device that this pool holds connected, through as many sessions as it takes. Opens the first at once. */
export class HostedDevice {
  readonly #options: HostedDeviceOptions;
  readonly #events: SessionEvents;
  #session: NetworkSession | null = null;
  #gone = Promise.withResolvers<void>();
  #up = false;
  #over = false;
  /** Sessions in a row that did not come up. */
  #failures = 0;
  #refusal: EndReason = 'pairing_refused';
  #reconnecting: NodeJS.Timeout | undefined;
  #pairing: NodeJS.Timeout | undefined;
  #pairingTimedOut = false;

  constructor(options: HostedDeviceOptions) {
    this.#options = options;
    this.#events = {
      qr: (code) => this.#showCode(code),
      paired: ({ phoneNumber }) => this.#link(phoneNumber),
      up: ({ phoneNumber }) => this.#comeUp(phoneNumber),
      down: (reason) => this.#goDown(reason),
      inbound: options.receive,
      receipt: options.receipt,
    };
    this.#open();
  }

  /** Who sends for this device; null while it is not up. */
  session(): NetworkSession | null {
    return this.#up ? this.#session : null;
  }

  /** Drops the connection for good and waits until it is gone. The device's row is left as it is. */
  async close(): Promise<void> {
    this.#over = true;
    this.#stopTimers();
    if (this.#session === null) return;
    await this.#session.close();
    await this.#gone.promise;
  }

  #open(): void {
    if (this.#over) return;
    const { deviceId, network, store } = this.#options;
    this.#gone = Promise.withResolvers();
    this.#session = network.openSession({ deviceId, store, events: this.#events });
  }

  async #showCode(code: { text: string; expiresAt: Date }): Promise<void> {
    // Codes may come from several sessions after one another; the time runs from the first.
    this.#pairing ??= setTimeout(() => this.#endPairing(), this.#options.pairingTimeoutMs);
    await this.#options.record.qr(code);
  }

  #endPairing(): void {
    this.#pairingTimedOut = true;
    clearTimeout(this.#reconnecting);
    void (this.#session === null ? this.#goDown('closed') : this.#session.close());
  }

  async #link(phoneNumber: string): Promise<void> {
    try {
      await this.#options.record.paired(phoneNumber);
    } catch (error) {
      if (error instanceof PhoneInUse) this.#refusal = 'phone_in_use';
      throw error;
    }
    clearTimeout(this.#pairing);
    this.#pairing = undefined;
  }

  async #comeUp(phoneNumber: string): Promise<void> {
    await this.#options.record.up(phoneNumber);
    this.#failures = 0;
    this.#up = true;
    this.#options.onUp();
  }

  async #goDown(reason: DownReason): Promise<void> {
    this.#up = false;
    this.#session = null;
    this.#gone.resolve();
    if (this.#over) return;
    try {
      await this.#follow(reason);
    } catch (error) {
      if (error instanceof NotOwner) return this.#end();
      // The database is away: what the row says is put right by the next session.
      const { deviceId, logger } = this.#options;
      logger.error({ err: error, deviceId, reason }, 'the end of a session could not be recorded');
      this.#reopenLater();
    }
  }

  /** What follows once the session is gone. Throws what the record throws. */
  async #follow(reason: DownReason): Promise<void> {
    const { record } = this.#options;
    if (this.#pairingTimedOut) return this.#finish(record.stopped('qr_timeout'));
    switch (reason) {
      case 'connection_lost':
      case 'replaced':
        await record.down(reason);
        return this.#reopenLater();
      case 'restart_required':
        await record.down(reason);
        return this.#open();
      case 'qr_timeout':
        return this.#open();
      case 'logged_out':
      case 'banned':
        return this.#finish(record.unlinked(reason));
      case 'pairing_refused':
        return this.#finish(record.stopped(this.#refusal));
      case 'closed':
        return this.#end();
    }
  }

  async #finish(written: Promise<void>): Promise<void> {
    await written;
    this.#options.logger.info({ deviceId: this.#options.deviceId }, 'a device came to an end by itself');
    this.#end();
  }

  #reopenLater(): void {
    this.#reconnecting = setTimeout(() => this.#open(), reconnectDelayMs(this.#failures));
    this.#failures += 1;
  }

  #end(): void {
    this.#stopTimers();
    if (this.#over) return;
    this.#over = true;
    this.#options.onEnded();
  }

  #stopTimers(): void {
    clearTimeout(this.#reconnecting);
    clearTimeout(this.#pairing);
  }
}
