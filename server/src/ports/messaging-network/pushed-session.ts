import type { Logger } from '../../platform/shared/logger.ts';
import {
  type DownReason,
  type NetworkSession,
  NotOwner,
  type OutboundMessage,
  type ReceivedEvent,
  SendOutcomeUnknown,
  type SessionOptions,
} from './messaging-network.ts';

/** A session that has come up. */
export interface OpenedSession {
  /** Of the account. */
  phoneNumber?: string | null;
  handle(event: ReceivedEvent): Promise<void>;
  send(message: OutboundMessage, signal: AbortSignal): Promise<string | undefined>;
  logout?(): Promise<void>;
}

export interface PushedSessionOptions {
  session: SessionOptions;
  logger: Pick<Logger, 'error'>;
  /** `signal` aborts when the session ends. */
  open(signal: AbortSignal): Promise<OpenedSession>;
  /** Why the session goes down after this error. Null: a send leaves it up, and anything else has lost the connection. */
  findDownReason?(error: unknown): DownReason | null;
  toSendError?(error: unknown): Error;
  /** What a send rejects with that the session did not begin. Default: its outcome is unknown. */
  notBegun?: Error;
  onEnded(): void;
}

/** The session of a network that has no connection and pushes its events into the inbox. */
export class PushedSession implements NetworkSession {
  readonly #options: PushedSessionOptions;
  readonly #closing = new AbortController();
  #opened: OpenedSession | null = null;
  #isOver = false;
  /** Handlers run one at a time. */
  #events: Promise<void>;

  constructor(options: PushedSessionOptions) {
    this.#options = options;
    this.#events = Promise.resolve()
      .then(() => this.#comeUp())
      .catch((error: unknown) => this.#fail(error));
  }

  async #comeUp(): Promise<void> {
    const { open, session } = this.#options;
    if (this.#isOver) return;
    const opened = await open(this.#closing.signal);
    if (this.#isOver) return;
    await session.events.up({ phoneNumber: opened.phoneNumber ?? null });
    if (!this.#isOver) this.#opened = opened;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<string | undefined> {
    if (this.#opened === null || signal.aborted)
      throw this.#options.notBegun ?? new SendOutcomeUnknown(signal.reason);
    try {
      return await this.#opened.send(message, signal);
    } catch (error) {
      const reason = this.#options.findDownReason?.(error) ?? null;
      if (reason !== null) this.#end(reason);
      throw this.#options.toSendError?.(error) ?? error;
    }
  }

  receive(event: ReceivedEvent): Promise<void> {
    const handled = this.#events.then(() => {
      if (this.#opened === null) throw new Error('the session is not up');
      return this.#opened.handle(event);
    });
    this.#events = handled.catch((error: unknown) => this.#fail(error));
    return handled;
  }

  async logout(): Promise<void> {
    await this.#opened?.logout?.();
    await this.close();
  }

  async close(): Promise<void> {
    this.#end('closed');
    await this.#events;
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    if (error instanceof NotOwner) {
      this.#end('closed');
      return;
    }
    const { session, logger, findDownReason } = this.#options;
    logger.error({ err: error, deviceId: session.deviceId }, 'closed a session because an event failed');
    this.#end(findDownReason?.(error) ?? 'connection_lost');
  }

  #end(reason: DownReason): void {
    if (this.#isOver) return;
    const { session, logger, onEnded } = this.#options;
    this.#isOver = true;
    this.#opened = null;
    this.#closing.abort(new Error('the session has ended'));
    this.#events = this.#events
      .then(() => session.events.down(reason))
      .catch((error: unknown) =>
        logger.error({ err: error, deviceId: session.deviceId }, 'the `down` handler of a session failed'),
      )
      .then(onEnded);
  }
}
