import type { Logger } from '../../platform/shared/logger.ts';
import {
  type DownReason,
  type InboundMessage,
  type MessageContent,
  type MessagingNetwork,
  type NetworkSession,
  NotOwner,
  type ReceivedEvent,
  SendOutcomeUnknown,
  type SessionOptions,
} from './messaging-network.ts';
import { networkCapabilities } from './supported-content.ts';

/** What the chat of a website pushes. The file of a message is in the bytes of the event. */
export type WebEvent =
  | {
      type: 'message';
      id: string;
      contact: string;
      sentAt: string;
      text: string;
      file: { kind: 'image' | 'document'; mimeType: string; name: string } | null;
    }
  | { type: 'receipt'; id: string; state: 'delivered' | 'read' };

/**
 * The chat on a website. Visitors read their messages from the database, so a message is delivered once its row says that it is
 * sent. Their own messages arrive as events of the inbox.
 */
export class WebNetwork implements MessagingNetwork {
  readonly name = 'web';
  readonly supportedContent = new Set(networkCapabilities.web.content);
  readonly #sessions = new Set<WebSession>();
  readonly #logger: Pick<Logger, 'error'>;

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger;
  }

  openSession(options: SessionOptions): NetworkSession {
    const session = new WebSession(options, this.#logger, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    session.start();
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}

class WebSession implements NetworkSession {
  readonly #options: SessionOptions;
  readonly #logger: Pick<Logger, 'error'>;
  readonly #ended: () => void;
  #state: 'opening' | 'up' | 'over' = 'opening';
  /** Handlers run one at a time. */
  #events: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions, logger: Pick<Logger, 'error'>, ended: () => void) {
    this.#options = options;
    this.#logger = logger;
    this.#ended = ended;
  }

  start(): void {
    this.#events = Promise.resolve()
      .then(() => this.#options.events.up({ phoneNumber: null }))
      .then(
        () => {
          if (this.#state === 'opening') this.#state = 'up';
        },
        (error: unknown) => this.#fail(error),
      );
  }

  async send(_message: unknown, signal: AbortSignal): Promise<void> {
    if (this.#state !== 'up' || signal.aborted) throw new SendOutcomeUnknown(signal.reason);
  }

  receive({ payload, bytes }: ReceivedEvent): Promise<void> {
    // The chat of a website wrote it.
    const event = payload as WebEvent;
    const handled = this.#events.then(async () => {
      if (this.#state !== 'up') throw new Error('the session is not up');
      if (event.type === 'receipt')
        return this.#options.events.receipt({ networkId: event.id, state: event.state });
      return this.#options.events.inbound(toInbound(event, bytes));
    });
    this.#events = handled.catch((error: unknown) => this.#fail(error));
    return handled;
  }

  /** There is no link to end. */
  async logout(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    this.#end('closed');
    await this.#events;
  }

  #fail(error: unknown): void {
    if (this.#state === 'over') return;
    if (error instanceof NotOwner) {
      this.#end('closed');
      return;
    }
    const { deviceId } = this.#options;
    this.#logger.error({ err: error, deviceId }, 'closed a session because an event failed');
    this.#end('connection_lost');
  }

  #end(reason: DownReason): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#events = this.#events
      .then(() => this.#options.events.down(reason))
      .catch((error: unknown) => {
        const { deviceId } = this.#options;
        this.#logger.error({ err: error, deviceId }, 'the `down` handler of a session failed');
      })
      .then(this.#ended);
  }
}

function toInbound(event: Extract<WebEvent, { type: 'message' }>, bytes: Uint8Array | null): InboundMessage {
  return {
    networkId: event.id,
    contactNumber: event.contact,
    fromMe: false,
    sentAt: new Date(event.sentAt),
    content: toContent(event, bytes ?? new Uint8Array()),
  };
}

function toContent(
  { text, file }: Extract<WebEvent, { type: 'message' }>,
  bytes: Uint8Array,
): MessageContent {
  if (file === null) return { kind: 'text', text };
  const { kind, mimeType, name: fileName } = file;
  return kind === 'image'
    ? { kind, mimeType, bytes, caption: text }
    : { kind, mimeType, bytes, fileName, caption: text };
}
