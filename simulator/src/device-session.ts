import { randomBytes, randomUUID } from 'node:crypto';
import { loadContent } from './content.ts';
import type { Network } from './network.ts';
import type { LinkedDevice, QueueItem } from './network-state.ts';
import { QrRotation, ScanRefused } from './pairing.ts';
import type { DeviceSignal, NetworkSignal, WireContent, WireDownReason } from './protocol.ts';

/** Maximum of unconfirmed deliveries to a device. */
const DELIVERY_WINDOW = 16;

/** Timeout of each step of a pairing. */
const PAIRING_STEP_MS = 20_000;

/** The network's side of one device's connection. */
export class DeviceSession {
  readonly id = randomUUID();
  readonly #network: Network;
  readonly #emit: (signal: NetworkSignal) => void;
  readonly #ended: () => void;
  #over = false;
  #device: LinkedDevice | null = null;
  #rotation: QrRotation | null = null;
  #answer: { to: 'pairing' | 'stored'; settle: PromiseWithResolvers<boolean> } | null = null;
  #lastDelivery = 0;
  #delivering = false;
  #storing: Promise<unknown> = Promise.resolve();

  /** `send` sends a signal to the device. `ended` is called once. */
  constructor(network: Network, send: (signal: NetworkSignal) => void, ended: () => void) {
    this.#network = network;
    this.#emit = (signal) => {
      if (!this.#over) send(signal);
    };
    this.#ended = ended;
  }

  open(credential: string | null): void {
    if (credential === null) this.#showCodes();
    else this.#logIn(credential);
  }

  /** Rejects when the network failed. The session is then unusable. */
  async handleSignal(signal: DeviceSignal): Promise<void> {
    switch (signal.type) {
      case 'open':
        return;
      case 'pairing':
        this.#answered('pairing', signal.accept);
        return;
      case 'stored':
        this.#answered('stored', true);
        return;
      case 'send':
        return this.#send(signal);
      case 'received':
        if (this.#device) await this.#network.received(this.#device, signal.delivery);
        return;
      case 'logout':
        return this.#logOut();
      case 'close':
        this.drop();
    }
  }

  /** Sends the reason to the device and ends the session. */
  end(reason: WireDownReason): void {
    this.#emit({ type: 'down', reason });
    this.drop();
  }

  /** Ends the session without a signal. Idempotent. */
  drop(): void {
    if (this.#over) return;
    this.#over = true;
    this.#rotation?.stop();
    this.#answer?.settle.reject(new ScanRefused('pairing_interrupted'));
    if (this.#device) this.#network.sessionEnded(this.#device.credential, this);
    this.#ended();
  }

  /** Sends queued deliveries until the window is full. */
  async deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#nextDelivery(); next && !this.#over; next = this.#nextDelivery()) {
        const [delivery, item] = next;
        this.#lastDelivery = delivery;
        this.#emit(await this.#deliverySignal(delivery, item));
      }
    } finally {
      this.#delivering = false;
    }
  }

  #nextDelivery(): [number, QueueItem] | null {
    let unconfirmed = 0;
    for (const waiting of this.#device?.queue ?? []) {
      if (waiting[0] > this.#lastDelivery) return waiting;
      unconfirmed += 1;
      if (unconfirmed === DELIVERY_WINDOW) break;
    }
    return null;
  }

  async #deliverySignal(delivery: number, item: QueueItem): Promise<NetworkSignal> {
    if (item.type === 'receipt') return { type: 'receipt', delivery, id: item.id, state: item.state };
    const { contact, fromMe, entry } = item;
    const content: WireContent =
      entry.content.kind === 'text'
        ? entry.content
        : await loadContent(entry.content, this.#network.mediaStore);
    return { type: 'inbound', delivery, id: entry.id, contact, fromMe, sentAt: entry.sentAt, content };
  }

  #logIn(credential: string): void {
    const device = this.#network.state.device(credential);
    if (!device) this.end('logged_out');
    else if (this.#network.state.isBanned(device.phone)) this.end('banned');
    else this.#comeUp(device);
  }

  #comeUp(device: LinkedDevice): void {
    this.#device = device;
    this.#network.sessionUp(device.credential, this);
    this.#emit({ type: 'up', phone: device.phone });
    this.#network.runInBackground(this.deliver());
  }

  #showCodes(): void {
    this.#rotation = new QrRotation({
      board: this.#network.qrBoard,
      publicUrl: this.#network.publicUrl,
      lifetimesMs: this.#network.qrLifetimesMs,
      show: ({ text, expiresAt }) => this.#emit({ type: 'qr', text, expiresAt: expiresAt.toISOString() }),
      onScanned: (phone) => this.#pair(phone),
      onExpired: () => this.end('qr_timeout'),
    });
  }

  /** Links the phone once the device has stored its credential. Rejects with `ScanRefused`. */
  async #pair(phone: string): Promise<void> {
    if (!(await this.#ask({ type: 'offer', phone }, 'pairing'))) {
      this.end('pairing_refused');
      throw new ScanRefused('pairing_refused');
    }
    const credential = `${randomUUID()}.${randomBytes(32).toString('base64url')}`;
    await this.#ask({ type: 'credential', credential }, 'stored');
    const device = await this.#network.link(credential, phone);
    if (!this.#over) this.#comeUp(device);
  }

  async #ask(question: NetworkSignal, answeredBy: 'pairing' | 'stored'): Promise<boolean> {
    if (this.#over) throw new ScanRefused('pairing_interrupted');
    const settle = Promise.withResolvers<boolean>();
    this.#answer = { to: answeredBy, settle };
    const deadline = setTimeout(() => this.end('connection_lost'), PAIRING_STEP_MS);
    this.#emit(question);
    try {
      return await settle.promise;
    } finally {
      clearTimeout(deadline);
      this.#answer = null;
    }
  }

  #answered(question: 'pairing' | 'stored', answer: boolean): void {
    if (this.#answer?.to === question) this.#answer.settle.resolve(answer);
  }

  async #send(signal: Extract<DeviceSignal, { type: 'send' }>): Promise<void> {
    const device = this.#device;
    if (!device) return;
    const { attempt } = signal;
    const outcome = await this.#network.acceptMessage({ device, session: this.id }, signal, (task) =>
      this.#inOrder(task),
    );
    if (outcome.type === 'refused') this.#emit({ type: 'refused', attempt, reason: outcome.reason });
    if (outcome.type !== 'accepted') return;
    this.#emit({ type: 'ack', attempt });
    await this.#network.delivered(device, signal.id);
  }

  /** Appends messages to the journal in the order of arrival, even when storing media is slow. */
  #inOrder<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#storing.then(task);
    this.#storing = result.catch(() => null);
    return result;
  }

  async #logOut(): Promise<void> {
    if (!this.#device) return;
    await this.#network.unlink(this.#device.credential);
    this.#emit({ type: 'logged_out' });
    this.drop();
  }
}
