import {
  type DownReason,
  type InboundMessage,
  type MessagingNetwork,
  type NetworkSession,
  NotOwner,
  type SessionEvents,
  type SessionStore,
} from '../adapters/messaging-network/messaging-network.ts';
import type { Ownership } from '../devices/session-state.sql.ts';
import type { Logger } from '../shared/logger.ts';
import type { ConnectSlot, ConnectThrottle } from './connect-throttle.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';
import { type EndReason, PhoneInUse, type SessionRecord } from './session-record.ts';

export interface HostedDeviceOptions {
  owner: Ownership;
  network: Pick<MessagingNetwork, 'openSession'>;
  store: SessionStore;
  record: SessionRecord;
  throttle: ConnectThrottle;
  /** Whether somebody waits for the first session. */
  prioritized: boolean;
  /** A session that shows no sign of life for so long is given up. */
  openTimeoutMs: number;
  /** How long codes are shown before the device is stopped. */
  pairingTimeoutMs: number;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  /** For counting. */
  onEvent(event: SessionEvent): void;
  receive(message: InboundMessage): Promise<void>;
  receipt(receipt: Parameters<SessionEvents['receipt']>[0]): Promise<void>;
  /** Messages can be sent from now on. */
  onUp(): void;
  /** The device came to an end that `close` did not ask for. */
  onEnded(): void;
}

/** What becomes of sessions. */
export type SessionEvent = 'opened' | 'code' | 'paired' | 'up' | 'stuck' | DownReason;

/** `waiting`: for its turn, or for the pause after a failure to end. */
export type SessionState = 'waiting' | 'opening' | 'pairing' | 'up';

/** A started device that this pool holds connected, through as many sessions as it takes. */
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
  #opening: NodeJS.Timeout | undefined;
  #turn: ConnectSlot | null = null;
  #stuck = false;

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
    this.#takeTurn(options.prioritized ? 'soon' : 'in turn');
  }

  state(): SessionState {
    if (this.#up) return 'up';
    if (this.#session === null) return 'waiting';
    return this.#pairing === undefined ? 'opening' : 'pairing';
  }

  /** Who sends for this device; null while it is not up. */
  session(): NetworkSession | null {
    return this.#up ? this.#session : null;
  }

  /** Something is to be sent: opens before others that wait for their turn. */
  prioritize(): void {
    this.#turn?.prioritize();
  }

  /** Drops the connection for good and waits until it is gone. The device's row is left as it is. */
  async close(): Promise<void> {
    this.#over = true;
    this.#stopTimers();
    if (this.#session === null) return;
    await this.#session.close();
    await this.#gone.promise;
  }

  #takeTurn(order: 'soon' | 'in turn'): void {
    if (!this.#over) this.#turn = this.#options.throttle.request(() => this.#open(), order);
  }

  #leaveOpenings(): void {
    this.#turn?.release();
    this.#turn = null;
  }

  #open(): void {
    const { owner, network, store, openTimeoutMs, onEvent } = this.#options;
    this.#gone = Promise.withResolvers();
    this.#opening = setTimeout(() => this.#giveUpOpening(), openTimeoutMs);
    this.#session = network.openSession({ deviceId: owner.deviceId, store, events: this.#events });
    onEvent('opened');
  }

  /** The session has shown a sign of life, or its end. */
  #endOpening(): void {
    clearTimeout(this.#opening);
    this.#leaveOpenings();
  }

  #giveUpOpening(): void {
    const { owner, logger, onEvent } = this.#options;
    logger.warn({ ...owner }, 'a session does not open and is given up; another is tried later');
    onEvent('stuck');
    this.#stuck = true;
    this.#endOpening();
    void this.#session?.close();
  }

  async #showCode(code: { text: string; expiresAt: Date }): Promise<void> {
    this.#endOpening();
    this.#options.onEvent('code');
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
    this.#options.onEvent('paired');
    clearTimeout(this.#pairing);
    this.#pairing = undefined;
  }

  async #comeUp(phoneNumber: string): Promise<void> {
    const { owner, record, logger, onEvent } = this.#options;
    this.#endOpening();
    await record.up(phoneNumber);
    onEvent('up');
    logger.info({ ...owner }, 'a device is up');
    this.#failures = 0;
    this.#up = true;
    this.#options.onUp();
  }

  async #goDown(reason: DownReason): Promise<void> {
    const { owner, logger, onEvent } = this.#options;
    this.#endOpening();
    this.#up = false;
    this.#session = null;
    this.#gone.resolve();
    onEvent(reason);
    logger.info({ ...owner, reason }, 'a session of a device went down');
    if (this.#over) return;
    try {
      await this.#follow(reason);
    } catch (error) {
      if (error instanceof NotOwner) return this.#end();
      // The database is away: what the row says is put right by the next session.
      logger.error({ err: error, ...owner, reason }, 'the end of a session could not be recorded');
      this.#reopenLater();
    }
  }

  /** What follows once the session is gone. Throws what the record throws. */
  async #follow(reason: DownReason): Promise<void> {
    const { record } = this.#options;
    if (this.#pairingTimedOut) return this.#finish(record.stopped('qr_timeout'));
    if (this.#stuck) {
      this.#stuck = false;
      await record.down('connection_lost');
      return this.#reopenLater();
    }
    switch (reason) {
      case 'connection_lost':
      case 'replaced':
        await record.down(reason);
        return this.#reopenLater();
      case 'restart_required':
        await record.down(reason);
        return this.#takeTurn('soon');
      case 'qr_timeout':
        return this.#takeTurn('soon');
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
    this.#end();
  }

  #reopenLater(): void {
    if (this.#over) return;
    this.#reconnecting = setTimeout(() => this.#takeTurn('in turn'), reconnectDelayMs(this.#failures));
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
    clearTimeout(this.#opening);
    this.#leaveOpenings();
  }
}
