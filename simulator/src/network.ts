import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type StoredContent, storeContent } from './content.ts';
import type { Journal } from './journal.ts';
import type { MediaStore } from './media-store.ts';
import type { Fact, LinkedDevice, NetworkState } from './network-state.ts';
import { QrBoard, ScanRefused } from './pairing.ts';
import {
  phoneNumberPattern,
  unreachablePrefix,
  type WireContent,
  type WireDownReason,
  type WireRefusal,
} from './protocol.ts';
import { type LoginRefusal, SimulatedFaults } from './simulated-faults.ts';

export type AcceptOutcome =
  | { type: 'accepted' }
  | { type: 'ack_lost' }
  | { type: 'refused'; reason: WireRefusal; until?: Date };

export interface NetworkOptions {
  state: NetworkState;
  journal: Pick<Journal<Fact, LinkedDevice[]>, 'append'>;
  mediaStore: MediaStore;
  publicUrl: () => string;
  qrLifetimesMs: readonly number[];
  onError: (error: unknown) => void;
}

interface ConnectedSession {
  id: string;
  deliver(): Promise<void>;
  end(reason: WireDownReason, until?: Date): void;
}

/** Links and connects devices, and delivers messages between phones and devices. */
export class Network {
  readonly state: NetworkState;
  readonly mediaStore: MediaStore;
  readonly publicUrl: () => string;
  readonly qrLifetimesMs: readonly number[];
  readonly qrBoard = new QrBoard();
  readonly faults = new SimulatedFaults();
  readonly #journal: NetworkOptions['journal'];
  readonly #onError: NetworkOptions['onError'];
  readonly #sessions = new Map<string, ConnectedSession>();

  constructor(options: NetworkOptions) {
    this.state = options.state;
    this.#journal = options.journal;
    this.mediaStore = options.mediaStore;
    this.publicUrl = options.publicUrl;
    this.qrLifetimesMs = options.qrLifetimesMs;
    this.#onError = options.onError;
  }

  /** Resolves when the device is linked. Rejects with `ScanRefused`. */
  async scan(qr: string, phone: string): Promise<void> {
    if (this.state.isBanned(phone)) throw new ScanRefused('phone_banned');
    await this.qrBoard.scan(qr, phone);
  }

  /** Stores a message written on a phone. A repeated id between the same two phones is stored once. Returns the id. */
  async write(message: {
    from: string;
    to: string;
    content: WireContent;
    id: string | undefined;
  }): Promise<string> {
    const { from, to, id = randomUUID() } = message;
    const content = await storeContent(message.content, this.mediaStore);
    await this.#record({ type: 'message', at: now(), id, from, to, sender: null, content });
    return id;
  }

  /** Stores a message of a linked device. `inOrder` runs work after that of the device's earlier messages. */
  async acceptMessage(
    { device, session }: { device: LinkedDevice; session: string },
    message: { id: string; to: string; content: WireContent },
    inOrder: <T>(task: () => Promise<T>) => Promise<T>,
  ): Promise<AcceptOutcome> {
    const { id, to } = message;
    if (!phoneExists(to)) return { type: 'refused', reason: 'recipient_unknown' };
    const until = this.faults.restrictedUntil(device.phone);
    const isNewChat = !this.state.chat(device.phone, to).some(({ direction }) => direction === 'in');
    if (until !== null && isNewChat) return { type: 'refused', reason: 'device_restricted', until };
    const fault = this.faults.take(device.phone);
    if (fault.refuse) return { type: 'refused', reason: 'network_refused' };
    const sender = device.credential;
    const recorded = await inOrder(async () => {
      const content: StoredContent =
        message.content.kind === 'text'
          ? message.content
          : await storeContent(message.content, this.mediaStore);
      return {
        done: this.#record({
          type: 'message',
          at: now(),
          id,
          from: device.phone,
          to,
          sender,
          session,
          content,
        }),
      };
    });
    await recorded.done;
    if (fault.loseAck) return { type: 'ack_lost' };
    if (fault.delayMs > 0) await wait(fault.delayMs, undefined, { ref: false });
    return { type: 'accepted' };
  }

  delivered(device: LinkedDevice, id: string): Promise<void> {
    return this.#record({
      type: 'delivered',
      at: now(),
      credential: device.credential,
      id,
    });
  }

  received(device: LinkedDevice, delivery: number): Promise<void> {
    return this.#record({ type: 'received', credential: device.credential, delivery });
  }

  async link(credential: string, phone: string): Promise<LinkedDevice> {
    await this.#record({ type: 'linked', at: now(), credential, phone });
    const device = this.state.device(credential);
    if (!device) throw new Error('the device was unlinked during the pairing');
    return device;
  }

  unlink(credential: string): Promise<void> {
    return this.#record({ type: 'unlinked', at: now(), credential });
  }

  linkedPhones(): { phone_number: string; connected: boolean }[] {
    return this.state.linkedPhones().map((phone) => ({
      phone_number: phone,
      connected: this.#sessionsFor(phone).length > 0,
    }));
  }

  /** Closes the connections of the phone's devices and keeps the links. */
  drop(phone: string): void {
    for (const session of this.#sessionsFor(phone)) session.end('connection_lost');
  }

  /** Closes the connections of the phone's devices and refuses their logins for this long. */
  refuseLogins(phone: string, reason: LoginRefusal['reason'], ms: number): void {
    const { until } = this.faults.refuseLogins(phone, reason, ms);
    for (const session of this.#sessionsFor(phone)) session.end(reason, until);
  }

  async logOut(phone: string): Promise<void> {
    const sessions = this.#sessionsFor(phone);
    for (const device of this.state.linkedDevices(phone) ?? []) await this.unlink(device.credential);
    for (const session of sessions) session.end('logged_out');
  }

  async ban(phone: string): Promise<void> {
    await this.#record({ type: 'banned', at: now(), phone });
    for (const session of this.#sessionsFor(phone)) session.end('banned');
  }

  sessionUp(credential: string, session: ConnectedSession): void {
    const older = this.#sessions.get(credential);
    this.#sessions.set(credential, session);
    this.#recordSession(credential, session, 'up');
    older?.end('replaced');
  }

  sessionEnded(credential: string, session: ConnectedSession): void {
    if (this.#sessions.get(credential) === session) this.#sessions.delete(credential);
    this.#recordSession(credential, session, 'over');
  }

  runInBackground(work: Promise<unknown>): void {
    work.catch(this.#onError);
  }

  #sessionsFor(phone: string): ConnectedSession[] {
    return (this.state.linkedDevices(phone) ?? []).flatMap(
      (device) => this.#sessions.get(device.credential) ?? [],
    );
  }

  /** Journals the session in the background, before any message of the session. */
  #recordSession(credential: string, { id: session }: ConnectedSession, state: 'up' | 'over'): void {
    this.runInBackground(this.#record({ type: 'session', at: now(), credential, session, state }));
  }

  async #record(fact: Fact): Promise<void> {
    for (const device of await this.#journal.append(fact)) {
      const session = this.#sessions.get(device.credential);
      if (session) this.runInBackground(session.deliver());
    }
  }
}

const phonePattern = new RegExp(phoneNumberPattern);

export function phoneExists(number: string): boolean {
  return phonePattern.test(number) && !number.startsWith(unreachablePrefix);
}

function now(): string {
  return new Date().toISOString();
}
