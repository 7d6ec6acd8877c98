import type { Logger } from '../../platform/shared/logger.ts';
import {
  type DownReason,
  type MessagingNetwork,
  type NetworkSession,
  NotOwner,
  type OutboundMessage,
  type ReceivedEvent,
  SendPostponed,
  type SessionOptions,
} from './messaging-network.ts';
import { type MessagingNetworkName, networkCapabilities } from './supported-content.ts';

/** A session that has come up. */
export interface OpenedSession {
  /** Of the account. */
  phoneNumber?: string | null;
  handle(event: ReceivedEvent): Promise<void>;
  send(message: OutboundMessage, signal: AbortSignal): Promise<string | undefined>;
}

export interface PushedNetworkOptions {
  name: MessagingNetworkName;
  logger: Pick<Logger, 'error'>;
  /** `signal` aborts when the session ends. */
  open(session: SessionOptions, signal: AbortSignal): Promise<OpenedSession>;
  /** Why the session goes down after this error. Null: it has lost the connection. A send does not end it as unavailable. */
  findDownReason?(error: unknown): DownReason | null;
  toSendError?(error: unknown): Error;
}

/** A network without connections, which pushes its events into the inbox. */
export class PushedNetwork implements MessagingNetwork {
  readonly name: string;
  readonly supportedContent: MessagingNetwork['supportedContent'];
  readonly #options: PushedNetworkOptions;
  readonly #sessions = new Set<NetworkSession>();

  constructor(options: PushedNetworkOptions) {
    this.#options = options;
    this.name = options.name;
    this.supportedContent = new Set(networkCapabilities[options.name].content);
  }

  openSession(session: SessionOptions): NetworkSession {
    const onEnded = () => this.#sessions.delete(opened);
    const opened = new PushedSession({ ...this.#options, session, onEnded });
    this.#sessions.add(opened);
    return opened;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}

class PushedSession implements NetworkSession {
  readonly #options: PushedNetworkOptions & { session: SessionOptions; onEnded(): void };
  readonly #closing = new AbortController();
  #opened: OpenedSession | null = null;
  #isOver = false;
  /** Handlers run one at a time. */
  #events: Promise<void>;

  constructor(options: PushedNetworkOptions & { session: SessionOptions; onEnded(): void }) {
    this.#options = options;
    this.#events = Promise.resolve()
      .then(() => this.#comeUp())
      .catch((error: unknown) => this.#fail(error));
  }

  async #comeUp(): Promise<void> {
    const { open, session } = this.#options;
    if (this.#isOver) return;
    const opened = await open(session, this.#closing.signal);
    if (this.#isOver) return;
    await session.events.up({ phoneNumber: opened.phoneNumber ?? null });
    if (!this.#isOver) this.#opened = opened;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<string | undefined> {
    if (this.#opened === null || signal.aborted) throw new SendPostponed(2);
    try {
      return await this.#opened.send(message, signal);
    } catch (error) {
      const reason = this.#options.findDownReason?.(error) ?? null;
      if (reason !== null && reason !== 'unavailable') this.#end(reason);
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

  /** There is no link to end. The caller deletes the credentials. */
  async logout(): Promise<void> {
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
