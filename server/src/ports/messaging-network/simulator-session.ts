import type { NetworkSignal, WireContent } from '@parley/simulator/protocol';
import type { Logger } from '../../platform/shared/logger.ts';
import {
  type DownReason,
  type InboundMessage,
  type MessageContent,
  type MessageDetails,
  type NetworkSession,
  NotOwner,
  type OutboundMessage,
  SendOutcomeUnknown,
  SendRefused,
  type SessionOptions,
} from './messaging-network.ts';
import type { MultiplexedSession, SimulatorConnection } from './simulator-connection.ts';

const credentialKey = { kind: 'simulator', id: 'credential' } as const;

interface Attachment {
  connection: SimulatorConnection;
  number: number;
}

/** A session of one device. Its events run in order, receipts concurrently, and `down` last. */
export class SimulatorSession implements NetworkSession, MultiplexedSession {
  readonly #options: SessionOptions;
  readonly #logger: Pick<Logger, 'error'>;
  readonly #ended: () => void;
  readonly #sends = new Map<number, PromiseWithResolvers<void>>();
  #attachment: Attachment | null = null;
  #events: Promise<void> = Promise.resolve();
  /** Running receipt handlers. The next event of another kind waits for them. */
  readonly #receipts = new Set<Promise<void>>();
  #lastAttempt = 0;
  #up = false;
  #over = false;
  #loggingOut: PromiseWithResolvers<void> | null = null;

  constructor(options: SessionOptions, logger: Pick<Logger, 'error'>, ended: () => void) {
    this.#options = options;
    this.#logger = logger;
    this.#ended = ended;
  }

  async start(connecting: Promise<SimulatorConnection>): Promise<void> {
    try {
      const [connection, stored] = await Promise.all([
        // The network logs failures to connect.
        connecting.catch(() => null),
        this.#options.store.read(credentialKey.kind, [credentialKey.id]),
      ]);
      if (connection === null) this.handleConnectionLost();
      if (connection === null || this.#over) return;
      this.#attachment = { connection, number: connection.attach(this) };
      const credential = stored.get(credentialKey.id);
      connection.send(this.#attachment.number, {
        type: 'open',
        credential: credential ? Buffer.from(credential).toString('utf8') : null,
      });
    } catch (error) {
      this.#failed(error);
    }
  }

  send(message: OutboundMessage, signal: AbortSignal): Promise<void> {
    if (!this.#up || this.#over || signal.aborted)
      return Promise.reject(new SendOutcomeUnknown(signal.reason));
    this.#lastAttempt += 1;
    const attempt = this.#lastAttempt;
    const answer = Promise.withResolvers<void>();
    const abort = () => answer.reject(new SendOutcomeUnknown(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    this.#sends.set(attempt, answer);
    const { networkId, to, content } = message;
    this.#emit({ type: 'send', attempt, id: networkId, to, content: toWireContent(content) });
    return answer.promise.finally(() => {
      signal.removeEventListener('abort', abort);
      this.#sends.delete(attempt);
    });
  }

  logout(): Promise<void> {
    if (!this.#up || this.#over) return Promise.reject(new Error('the device is not connected'));
    this.#loggingOut ??= Promise.withResolvers<void>();
    this.#emit({ type: 'logout' });
    return this.#loggingOut.promise;
  }

  async close(): Promise<void> {
    this.#end('closed');
  }

  async settled(): Promise<void> {
    await this.#events;
  }

  handleConnectionLost(): void {
    this.#end('connection_lost');
  }

  handleSignal(signal: NetworkSignal): void {
    switch (signal.type) {
      case 'ack':
        this.#sends.get(signal.attempt)?.resolve();
        break;
      case 'refused':
        if (signal.until !== undefined) this.#reportRestriction(new Date(signal.until));
        this.#sends.get(signal.attempt)?.reject(new SendRefused(signal.reason));
        break;
      case 'logged_out':
        this.#loggingOut?.resolve();
        this.#end('closed');
        break;
      case 'down':
        this.#end(signal.reason, signal.until === undefined ? undefined : new Date(signal.until));
        break;
      case 'up':
        this.#up = true;
        this.#enqueue(() => this.#options.events.up({ phoneNumber: signal.phone }));
        break;
      case 'receipt':
        this.#runConcurrently(() => this.#handleReceipt(signal));
        break;
      default:
        this.#enqueue(() => this.#handle(signal));
    }
  }

  #reportRestriction(until: Date): void {
    this.#enqueue(() => this.#options.events.restricted({ until, reason: 'network_refused' }));
  }

  async #handleReceipt(signal: Extract<NetworkSignal, { type: 'receipt' }>): Promise<void> {
    await this.#options.events.receipt({ networkId: signal.id, state: signal.state });
    this.#emit({ type: 'received', delivery: signal.delivery });
  }

  async #handle(signal: Extract<NetworkSignal, { type: 'qr' | 'offer' | 'credential' | 'inbound' }>) {
    const { events, store } = this.#options;
    switch (signal.type) {
      case 'qr':
        return events.qr({ text: signal.text, expiresAt: new Date(signal.expiresAt) });
      case 'offer':
        return this.#replyToOffer(signal.phone);
      case 'credential':
        await store.write([{ ...credentialKey, value: Buffer.from(signal.credential) }]);
        return this.#emit({ type: 'stored' });
      case 'inbound':
        await events.inbound({
          networkId: signal.id,
          contactNumber: signal.contact,
          fromMe: signal.fromMe,
          sentAt: new Date(signal.sentAt),
          content: fromWireContent(signal.content),
          ...readDetails(signal.content),
        });
        return this.#emit({ type: 'received', delivery: signal.delivery });
    }
  }

  async #replyToOffer(phoneNumber: string): Promise<void> {
    try {
      await this.#options.events.paired({ phoneNumber });
    } catch {
      // The handler refuses the pairing.
      this.#emit({ type: 'pairing', accept: false });
      this.#end('pairing_refused');
      return;
    }
    this.#emit({ type: 'pairing', accept: true });
  }

  #enqueue(task: () => Promise<void>): void {
    this.#events = this.#idle().then(() => this.#run(task));
  }

  #runConcurrently(task: () => Promise<void>): void {
    const running = this.#events.then(() => this.#run(task)).then(() => void this.#receipts.delete(running));
    this.#receipts.add(running);
  }

  async #idle(): Promise<void> {
    await Promise.all([this.#events, ...this.#receipts]);
  }

  /** A failed event is not confirmed. The session closes, and the network redelivers the event to the next one. */
  async #run(task: () => Promise<void>): Promise<void> {
    if (this.#over) return;
    try {
      await task();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#over) return;
    if (error instanceof NotOwner) {
      this.#end('closed');
      return;
    }
    this.#logger.error(
      { err: error, deviceId: this.#options.deviceId },
      'closed a session because an event failed',
    );
    this.#end('connection_lost');
  }

  #end(reason: DownReason, until?: Date): void {
    if (this.#over) return;
    this.#emit({ type: 'close' });
    this.#over = true;
    this.#attachment?.connection.detach(this.#attachment.number);
    for (const pending of this.#sends.values()) pending.reject(new SendOutcomeUnknown(reason));
    this.#loggingOut?.reject(
      new Error(`the session went down before the network confirmed the logout: ${reason}`),
    );
    this.#events = this.#idle().then(async () => {
      try {
        await this.#options.events.down(reason, until);
      } catch (error) {
        this.#logger.error(
          { err: error, deviceId: this.#options.deviceId },
          'the `down` handler of a session failed',
        );
      }
      this.#ended();
    });
  }

  #emit(signal: Parameters<SimulatorConnection['send']>[1]): void {
    if (!this.#over) this.#attachment?.connection.send(this.#attachment.number, signal);
  }
}

function toWireContent(content: MessageContent): WireContent {
  if (content.kind === 'text') return content;
  const { bytes, ...rest } = content;
  const base64 = encode(bytes);
  return rest.kind === 'voice' ? { ...rest, base64, waveform: encode(rest.waveform) } : { ...rest, base64 };
}

function fromWireContent(content: WireContent): MessageContent {
  if (content.kind === 'text') return { kind: 'text', text: content.text };
  const { base64, ...rest } = content;
  const bytes = Buffer.from(base64, 'base64');
  return rest.kind === 'voice'
    ? { ...rest, bytes, waveform: Buffer.from(rest.waveform, 'base64') }
    : { ...rest, bytes };
}

/** The tests of the simulator send the structure of the port. */
const readDetails = (content: WireContent): Pick<InboundMessage, 'details'> =>
  content.kind === 'text' && content.details ? { details: content.details as MessageDetails } : {};

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
