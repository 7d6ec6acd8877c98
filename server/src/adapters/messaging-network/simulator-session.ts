import type { NetworkSignal } from '@parley/simulator/protocol';
import type { Logger } from '../../shared/logger.ts';
import type { DownReason, NetworkSession, OutboundMessage, SessionOptions } from './messaging-network.ts';
import { NotOwner, SendOutcomeUnknown, SendRefused } from './messaging-network.ts';
import type { MultiplexedSession, SimulatorConnection } from './simulator-connection.ts';
import { fromWireContent, toWireContent } from './simulator-content.ts';

/** Where the session keeps its one entry, the credential. */
const CREDENTIAL = { kind: 'simulator', id: 'credential' } as const;

interface Attachment {
  carrier: SimulatorConnection;
  number: number;
}

/** One session of one device on a carrier. Its events run one after the other, receipts beside one another, `down` last. */
export class SimulatorSession implements NetworkSession, MultiplexedSession {
  readonly #options: SessionOptions;
  readonly #logger: Pick<Logger, 'error'>;
  readonly #ended: () => void;
  readonly #handOffs = new Map<number, PromiseWithResolvers<void>>();
  #attachment: Attachment | null = null;
  #events: Promise<void> = Promise.resolve();
  /** Being handled; the next event of another kind waits for them. */
  readonly #receipts = new Set<Promise<void>>();
  #lastHandOff = 0;
  #up = false;
  #over = false;
  #loggingOut: PromiseWithResolvers<void> | null = null;

  /** `ended` is called once, when the session is over and its `down` handler has run. */
  constructor(options: SessionOptions, logger: Pick<Logger, 'error'>, ended: () => void) {
    this.#options = options;
    this.#logger = logger;
    this.#ended = ended;
  }

  /** Connects over the carrier. Never rejects. */
  async start(carrierReady: Promise<SimulatorConnection>): Promise<void> {
    try {
      const [carrier, stored] = await Promise.all([
        // Whoever opens carriers tells of the ones that fail.
        carrierReady.catch(() => null),
        this.#options.store.read(CREDENTIAL.kind, [CREDENTIAL.id]),
      ]);
      if (carrier === null) this.handleConnectionLost();
      if (carrier === null || this.#over) return;
      this.#attachment = { carrier, number: carrier.attach(this) };
      const credential = stored.get(CREDENTIAL.id);
      carrier.send(this.#attachment.number, {
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
    this.#lastHandOff += 1;
    const handOff = this.#lastHandOff;
    const answer = Promise.withResolvers<void>();
    const abort = () => answer.reject(new SendOutcomeUnknown(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    this.#handOffs.set(handOff, answer);
    const { networkId, to, content } = message;
    this.#say({ type: 'send', handOff, id: networkId, to, content: toWireContent(content) });
    return answer.promise.finally(() => {
      signal.removeEventListener('abort', abort);
      this.#handOffs.delete(handOff);
    });
  }

  logout(): Promise<void> {
    if (!this.#up || this.#over) return Promise.reject(new Error('the device is not connected'));
    this.#loggingOut ??= Promise.withResolvers<void>();
    this.#say({ type: 'logout' });
    return this.#loggingOut.promise;
  }

  async close(): Promise<void> {
    this.#end('closed');
  }

  /** Resolves when every event, `down` included, has been handled. */
  async settled(): Promise<void> {
    await this.#events;
  }

  handleConnectionLost(): void {
    this.#end('connection_lost');
  }

  handleSignal(signal: NetworkSignal): void {
    switch (signal.type) {
      case 'ack':
        this.#handOffs.get(signal.handOff)?.resolve();
        break;
      case 'refused':
        this.#handOffs.get(signal.handOff)?.reject(new SendRefused(signal.reason));
        break;
      case 'logged_out':
        this.#loggingOut?.resolve();
        this.#end('closed');
        break;
      case 'down':
        this.#end(signal.reason);
        break;
      case 'up':
        this.#up = true;
        this.#next(() => this.#options.events.up({ phoneNumber: signal.phone }));
        break;
      case 'receipt':
        this.#beside(() => this.#handleReceipt(signal));
        break;
      default:
        this.#next(() => this.#handle(signal));
    }
  }

  async #handleReceipt(signal: Extract<NetworkSignal, { type: 'receipt' }>): Promise<void> {
    await this.#options.events.receipt({ networkId: signal.id, state: signal.state });
    this.#say({ type: 'received', delivery: signal.delivery });
  }

  async #handle(signal: Extract<NetworkSignal, { type: 'qr' | 'offer' | 'credential' | 'inbound' }>) {
    const { events, store } = this.#options;
    switch (signal.type) {
      case 'qr':
        return events.qr({ text: signal.text, expiresAt: new Date(signal.expiresAt) });
      case 'offer':
        return this.#answerOffer(signal.phone);
      case 'credential':
        await store.write([{ ...CREDENTIAL, value: Buffer.from(signal.credential) }]);
        return this.#say({ type: 'stored' });
      case 'inbound':
        await events.inbound({
          networkId: signal.id,
          contactNumber: signal.contact,
          fromMe: signal.fromMe,
          sentAt: new Date(signal.sentAt),
          content: fromWireContent(signal.content),
        });
        return this.#say({ type: 'received', delivery: signal.delivery });
    }
  }

  async #answerOffer(phoneNumber: string): Promise<void> {
    try {
      await this.#options.events.paired({ phoneNumber });
    } catch {
      // By the port's contract the rejection is the refusal itself.
      this.#say({ type: 'pairing', accept: false });
      this.#end('pairing_refused');
      return;
    }
    this.#say({ type: 'pairing', accept: true });
  }

  #next(task: () => Promise<void>): void {
    this.#events = this.#idle().then(() => this.#run(task));
  }

  /** Receipts do not wait for one another. */
  #beside(task: () => Promise<void>): void {
    const running = this.#events.then(() => this.#run(task)).then(() => void this.#receipts.delete(running));
    this.#receipts.add(running);
  }

  async #idle(): Promise<void> {
    await Promise.all([this.#events, ...this.#receipts]);
  }

  /** What cannot be handled is not confirmed: the connection goes, and the network keeps what it has for the next. */
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
      'a session is cut because of a failure',
    );
    this.#end('connection_lost');
  }

  #end(reason: DownReason): void {
    if (this.#over) return;
    this.#say({ type: 'close' });
    this.#over = true;
    this.#attachment?.carrier.detach(this.#attachment.number);
    for (const handOff of this.#handOffs.values()) handOff.reject(new SendOutcomeUnknown(reason));
    this.#loggingOut?.reject(
      new Error(`the session went down before the network confirmed the logout: ${reason}`),
    );
    this.#events = this.#idle().then(async () => {
      try {
        await this.#options.events.down(reason);
      } catch (error) {
        this.#logger.error(
          { err: error, deviceId: this.#options.deviceId },
          'the end of a session was not handled',
        );
      }
      this.#ended();
    });
  }

  #say(signal: Parameters<SimulatorConnection['send']>[1]): void {
    if (!this.#over) this.#attachment?.carrier.send(this.#attachment.number, signal);
  }
}
