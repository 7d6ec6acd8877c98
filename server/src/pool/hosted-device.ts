import type { Ownership } from '../devices/session-state.sql.ts';
import type { Logger } from '../platform/shared/logger.ts';
import {
  type DownReason,
  type NetworkSession,
  NotOwner,
  type SessionEvents,
} from '../ports/messaging-network/messaging-network.ts';
import type { ConnectPriority, ConnectSlot, ConnectThrottle } from './connect-throttle.ts';
import { AccountInUse, type EndReason, PhoneInUse, type SessionRecord } from './session-record.ts';

export interface HostedDeviceOptions {
  owner: Ownership;
  openSession(events: SessionEvents): NetworkSession;
  record: SessionRecord;
  throttle: ConnectThrottle;
  priority: ConnectPriority;
  timeouts: SessionTimeouts;
  handlers: Pick<SessionEvents, 'inbound' | 'receipt' | 'templates'>;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  onEvent(event: SessionEvent): void;
  onUp(): void;
  /** The device stopped, but not because of `close`. */
  onEnded(): void;
}

export interface SessionTimeouts {
  /** Time for a session to show a code, come up or go down. */
  openMs: number;
  /** Time for a phone to scan a code before the device is stopped. */
  pairingMs: number;
}

/** Values of the `event` label of the session metric. */
export type SessionEvent = 'opened' | 'code' | 'paired' | 'up' | 'stuck' | DownReason;

/** `waiting`: for a slot of the connect throttle, or for the end of a reconnect delay. */
export type SessionState = 'waiting' | 'opening' | 'pairing' | 'up';

export class HostedDevice {
  readonly #options: HostedDeviceOptions;
  readonly #events: SessionEvents;
  #session: NetworkSession | null = null;
  #sessionEnded = Promise.withResolvers<void>();
  #up = false;
  #upSince = 0;
  #closed = false;
  /** Consecutive sessions that did not stay up. */
  #failures = 0;
  #refusal: EndReason = 'pairing_refused';
  #reconnectTimer: NodeJS.Timeout | undefined;
  #pairingTimer: NodeJS.Timeout | undefined;
  #pairingTimedOut = false;
  #openTimer: NodeJS.Timeout | undefined;
  #slot: ConnectSlot | null = null;
  #openTimedOut = false;
  #accountInUse = false;

  constructor(options: HostedDeviceOptions) {
    this.#options = options;
    this.#events = {
      qr: (code) => this.#showCode(code),
      paired: ({ phoneNumber }) => this.#link(phoneNumber),
      up: ({ phoneNumber }) => this.#comeUp(phoneNumber),
      down: (reason, until) => this.#goDown(reason, until),
      restricted: (restriction) => options.record.restricted(restriction),
      account: (state) => options.record.account(state),
      ...options.handlers,
    };
    this.#requestSlot(options.priority);
  }

  state(): SessionState {
    if (this.#up) return 'up';
    if (this.#session === null) return 'waiting';
    return this.#pairingTimer === undefined ? 'opening' : 'pairing';
  }

  session(): NetworkSession | null {
    return this.#up ? this.#session : null;
  }

  prioritize(): void {
    this.#slot?.prioritize();
  }

  /** Closes the connection for good and waits until it is closed. Leaves the device's row unchanged. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTimers();
    if (this.#session === null) return;
    await this.#session.close();
    await this.#sessionEnded.promise;
  }

  #requestSlot(priority: ConnectPriority): void {
    if (!this.#closed) this.#slot = this.#options.throttle.request(() => this.#open(), priority);
  }

  #releaseSlot(): void {
    this.#slot?.release();
    this.#slot = null;
  }

  #open(): void {
    const { openSession, timeouts, onEvent } = this.#options;
    this.#sessionEnded = Promise.withResolvers();
    this.#openTimer = setTimeout(() => this.#abortOpening(), timeouts.openMs);
    this.#session = openSession(this.#events);
    onEvent('opened');
  }

  #endOpening(): void {
    clearTimeout(this.#openTimer);
    this.#releaseSlot();
  }

  #abortOpening(): void {
    const { owner, logger, onEvent } = this.#options;
    logger.warn({ ...owner }, 'a session did not open in time; another one opens later');
    onEvent('stuck');
    this.#openTimedOut = true;
    this.#endOpening();
    void this.#session?.close();
  }

  async #showCode(code: { text: string; expiresAt: Date }): Promise<void> {
    this.#endOpening();
    this.#options.onEvent('code');
    // Several sessions in a row may show codes. The timeout runs from the first code.
    this.#pairingTimer ??= setTimeout(() => this.#endPairing(), this.#options.timeouts.pairingMs);
    await this.#options.record.qr(code);
  }

  #endPairing(): void {
    this.#pairingTimedOut = true;
    clearTimeout(this.#reconnectTimer);
    void (this.#session === null ? this.#goDown('closed') : this.#session.close());
  }

  async #link(phoneNumber: string): Promise<void> {
    // Before the write, during which the time could end.
    this.#stopPairingTimer();
    try {
      await this.#options.record.paired(phoneNumber);
    } catch (error) {
      if (error instanceof PhoneInUse) this.#refusal = 'phone_in_use';
      throw error;
    }
    this.#options.onEvent('paired');
  }

  #stopPairingTimer(): void {
    clearTimeout(this.#pairingTimer);
    this.#pairingTimer = undefined;
  }

  async #comeUp(phoneNumber: string | null): Promise<void> {
    const { owner, record, logger, onEvent } = this.#options;
    this.#endOpening();
    try {
      await record.up(phoneNumber);
    } catch (error) {
      this.#accountInUse = error instanceof AccountInUse;
      throw error;
    }
    onEvent('up');
    logger.info({ ...owner }, 'a device is up');
    this.#upSince = performance.now();
    this.#up = true;
    this.#options.onUp();
  }

  async #goDown(reason: DownReason, until?: Date): Promise<void> {
    const { owner, logger, onEvent } = this.#options;
    this.#endOpening();
    if (this.#up && performance.now() - this.#upSince > stableMs) this.#failures = 0;
    this.#up = false;
    this.#session = null;
    this.#sessionEnded.resolve();
    onEvent(reason);
    logger.info({ ...owner, reason }, 'a session of a device went down');
    if (this.#closed) return;
    try {
      await this.#recordEnd(reason, until);
    } catch (error) {
      if (error instanceof NotOwner) return this.#end();
      // The database is unavailable. The next session corrects the row.
      logger.error({ err: error, ...owner, reason }, 'the end of a session could not be recorded');
      if (this.#pairingTimedOut) this.#stopPairingTimer();
      this.#pairingTimedOut = false;
      this.#reopenLater('connection_lost');
    }
  }

  async #recordEnd(reason: DownReason, until?: Date): Promise<void> {
    const { record } = this.#options;
    if (this.#pairingTimedOut) return this.#finish(record.stopped('qr_timeout'));
    if (this.#accountInUse) return this.#finish(record.stopped('account_in_use'));
    if (this.#openTimedOut) {
      this.#openTimedOut = false;
      await record.down('connection_lost');
      return this.#reopenLater('connection_lost');
    }
    switch (reason) {
      case 'connection_lost':
      case 'replaced':
      case 'client_outdated':
      case 'unavailable':
      case 'suspended':
        await record.down(reason, until);
        return this.#reopenLater(reason, until);
      case 'restart_required':
        await record.down(reason);
        return this.#requestSlot('high');
      case 'qr_timeout':
        return this.#requestSlot('high');
      case 'logged_out':
      case 'banned':
        return this.#finish(record.unlinked(reason));
      case 'credentials_invalid':
      case 'code_refused':
      case 'too_many_codes':
        return this.#finish(record.stopped(reason));
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

  #reopenLater(reason: keyof typeof reconnectDelays, until?: Date): void {
    if (this.#closed) return;
    const delayMs = Math.max(
      reconnectDelayMs(reason, this.#failures),
      Math.min(maxSuspensionMs, (until?.getTime() ?? 0) - Date.now()),
    );
    this.#reconnectTimer = setTimeout(() => this.#requestSlot('normal'), delayMs);
    this.#failures += 1;
  }

  #end(): void {
    this.#stopTimers();
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onEnded();
  }

  #stopTimers(): void {
    clearTimeout(this.#reconnectTimer);
    clearTimeout(this.#openTimer);
    this.#stopPairingTimer();
    this.#releaseSlot();
  }
}

/** A session that stayed up for less counts as a failure. */
const stableMs = 30_000;
/** A longer suspension is checked in between. */
const maxSuspensionMs = 24 * 3_600_000;

/** A network that refuses a connection is asked less often than one that lost it. */
const reconnectDelays = {
  connection_lost: { firstMs: 250, maxMs: 60_000 },
  replaced: { firstMs: 1000, maxMs: 60_000 },
  unavailable: { firstMs: 10_000, maxMs: 600_000 },
  client_outdated: { firstMs: 30_000, maxMs: 3_600_000 },
  suspended: { firstMs: 600_000, maxMs: 3_600_000 },
};

/** Doubles with each failure. Half of the delay is random, so that devices do not reconnect all at once. */
function reconnectDelayMs(reason: keyof typeof reconnectDelays, failures: number): number {
  const { firstMs, maxMs } = reconnectDelays[reason];
  const delay = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 20));
  return delay * (0.5 + Math.random() / 2);
}
