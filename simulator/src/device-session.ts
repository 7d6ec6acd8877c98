import { randomBytes, randomUUID } from 'node:crypto';
import { loadContent } from './content.ts';
import type { Network } from './network.ts';
import type { LinkedDevice, QueueItem } from './network-state.ts';
import { QrRotation, ScanRefused } from './pairing.ts';
import type { DeviceSignal, NetworkSignal, WireContent, WireDownReason } from './protocol.ts';

/** Maximum number of unconfirmed deliveries to a device. */
const deliveryWindow = 16;

const pairingStepTimeoutMs = 20_000;

/** The network's side of one device's connection. */
export class DeviceSession {
  readonly id = randomUUID();
  readonly #network: Network;
  readonly #emit: (signal: NetworkSignal) => void;
  readonly #onEnded: () => void;
  #ended = false;
  #device: LinkedDevice | null = null;
  #rotation: QrRotation | null = null;
  #pendingReply: { type: 'pairing' | 'stored'; settle: PromiseWithResolvers<boolean> } | null = null;
  #lastDelivery = 0;
  #delivering = false;
  #storing: Promise<unknown> = Promise.resolve();

  /** Calls `onEnded` once. */
  constructor(network: Network, send: (signal: NetworkSignal) => void, onEnded: () => void) {
    this.#network = network;
    this.#emit = (signal) => {
      if (!this.#ended) send(signal);
    };
    this.#onEnded = onEnded;
  }

  open(credential: string | null): void {
    if (credential === null) this.#showQrCodes();
    else this.#logIn(credential);
  }

  /** Rejects when the network failed. The session is then unusable. */
  async handleSignal(signal: DeviceSignal): Promise<void> {
    switch (signal.type) {
      case 'open':
        return;
      case 'pairing':
        this.#resolveReply('pairing', signal.accept);
        return;
      case 'stored':
        this.#resolveReply('stored', true);
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
  end(reason: WireDownReason, until?: Date): void {
    this.#emit({
      type: 'down',
      reason,
      ...(reason === 'suspended' && until && { until: until.toISOString() }),
    });
    this.drop();
  }

  /** Ends the session without a signal. Idempotent. */
  drop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#rotation?.stop();
    this.#pendingReply?.settle.reject(new ScanRefused('pairing_interrupted'));
    if (this.#device) this.#network.sessionEnded(this.#device.credential, this);
    this.#onEnded();
  }

  /** Sends queued deliveries until the window is full. */
  async deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#nextDelivery(); next && !this.#ended; next = this.#nextDelivery()) {
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
      if (unconfirmed === deliveryWindow) break;
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
    else {
      const refusal = this.#network.faults.loginRefusal(device.phone);
      if (refusal === null) this.#attachDevice(device);
      else this.end(refusal.reason, refusal.until);
    }
  }

  #attachDevice(device: LinkedDevice): void {
    this.#device = device;
    this.#network.sessionUp(device.credential, this);
    this.#emit({ type: 'up', phone: device.phone });
    this.#network.runInBackground(this.deliver());
  }

  #showQrCodes(): void {
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
    if (!(await this.#request({ type: 'offer', phone }, 'pairing'))) {
      this.end('pairing_refused');
      throw new ScanRefused('pairing_refused');
    }
    const credential = `${randomUUID()}.${randomBytes(32).toString('base64url')}`;
    await this.#request({ type: 'credential', credential }, 'stored');
    const device = await this.#network.link(credential, phone);
    if (!this.#ended) this.#attachDevice(device);
  }

  async #request(signal: NetworkSignal, replyType: 'pairing' | 'stored'): Promise<boolean> {
    if (this.#ended) throw new ScanRefused('pairing_interrupted');
    const settle = Promise.withResolvers<boolean>();
    this.#pendingReply = { type: replyType, settle };
    const deadline = setTimeout(() => this.end('connection_lost'), pairingStepTimeoutMs);
    this.#emit(signal);
    try {
      return await settle.promise;
    } finally {
      clearTimeout(deadline);
      this.#pendingReply = null;
    }
  }

  #resolveReply(type: 'pairing' | 'stored', accepted: boolean): void {
    if (this.#pendingReply?.type === type) this.#pendingReply.settle.resolve(accepted);
  }

  async #send(signal: Extract<DeviceSignal, { type: 'send' }>): Promise<void> {
    const device = this.#device;
    if (!device) return;
    const { attempt } = signal;
    const outcome = await this.#network.acceptMessage({ device, session: this.id }, signal, (task) =>
      this.#inOrder(task),
    );
    if (outcome.type === 'refused') {
      const { reason, until } = outcome;
      this.#emit({ type: 'refused', attempt, reason, ...(until && { until: until.toISOString() }) });
    }
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
