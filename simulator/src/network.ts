import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type StoredContent, storeContent } from './content.ts';
import type { DeviceSession } from './device-session.ts';
import type { Journal } from './journal.ts';
import type { MediaStore } from './media-store.ts';
import type { Fact, LinkedDevice, NetworkState } from './network-state.ts';
import { QrBoard, ScanRefused } from './pairing.ts';
import { PHONE_NUMBER_PATTERN, UNREACHABLE_PREFIX, type WireContent, type WireRefusal } from './protocol.ts';
import { SimulatedFaults } from './simulated-faults.ts';

export type AcceptOutcome =
  | { type: 'taken' }
  | { type: 'ack_lost' }
  | { type: 'refused'; reason: WireRefusal };

export interface NetworkOptions {
  state: NetworkState;
  /** Its `apply` is the state's. */
  journal: Pick<Journal<Fact, LinkedDevice[]>, 'append'>;
  mediaStore: MediaStore;
  publicUrl: () => string;
  qrLifetimesMs: readonly number[];
  /** Told of work that failed with nobody waiting for it. */
  onError: (error: unknown) => void;
}

/** The network proper: who is linked and connected, and what passes between phones and devices. */
export class Network {
  readonly state: NetworkState;
  readonly mediaStore: MediaStore;
  readonly publicUrl: () => string;
  readonly qrLifetimesMs: readonly number[];
  readonly qrBoard = new QrBoard();
  readonly faults = new SimulatedFaults();
  readonly #journal: NetworkOptions['journal'];
  readonly #failed: NetworkOptions['onError'];
  readonly #sessions = new Map<string, DeviceSession>();

  constructor(options: NetworkOptions) {
    this.state = options.state;
    this.#journal = options.journal;
    this.mediaStore = options.mediaStore;
    this.publicUrl = options.publicUrl;
    this.qrLifetimesMs = options.qrLifetimesMs;
    this.#failed = options.onError;
  }

  /** A phone scans a code. Resolves when the device is linked; rejects with `ScanRefused`. */
  async scan(qr: string, phone: string): Promise<void> {
    if (this.state.isBanned(phone)) throw new ScanRefused('phone_banned');
    await this.qrBoard.scan(qr, phone);
  }

  /**
   * A message written on a phone, which is a contact's or a linked one. The same id between the same two is one
   * message. Resolves with the id when it is durable.
   */
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

  /**
   * A linked device hands over a message on one of its connections; `inOrder` runs what must not overtake the device's
   * earlier messages.
   */
  async acceptMessage(
    { device, session }: { device: LinkedDevice; session: string },
    message: { id: string; to: string; content: WireContent },
    inOrder: <T>(task: () => Promise<T>) => Promise<T>,
  ): Promise<AcceptOutcome> {
    const { id, to } = message;
    if (!phoneExists(to)) return { type: 'refused', reason: 'recipient_unknown' };
    const treatment = this.faults.take(device.phone);
    if (treatment.refuse) return { type: 'refused', reason: 'network_refused' };
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
    if (treatment.loseAck) return { type: 'ack_lost' };
    if (treatment.delayMs > 0) await wait(treatment.delayMs, undefined, { ref: false });
    return { type: 'taken' };
  }

  /** Tells the device that the contact's phone has its message. */
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
    if (!device) throw new Error('a device was unlinked while it was being linked');
    return device;
  }

  unlink(credential: string): Promise<void> {
    return this.#record({ type: 'unlinked', at: now(), credential });
  }

  /** The phones with a linked device, and whether one of these is connected. */
  linkedPhones(): { phone_number: string; connected: boolean }[] {
    return this.state.linkedPhones().map((phone) => ({
      phone_number: phone,
      connected: this.#sessionsOf(phone).length > 0,
    }));
  }

  /** Cuts the connections of the phone's devices; the links stay. */
  drop(phone: string): void {
    for (const session of this.#sessionsOf(phone)) session.end('connection_lost');
  }

  /** The owner of the phone unlinks its devices. */
  async logOut(phone: string): Promise<void> {
    const sessions = this.#sessionsOf(phone);
    for (const device of this.state.linkedDevices(phone) ?? []) await this.unlink(device.credential);
    for (const session of sessions) session.end('logged_out');
  }

  /** The network refuses the phone's account for good. */
  async ban(phone: string): Promise<void> {
    await this.#record({ type: 'banned', at: now(), phone });
    for (const session of this.#sessionsOf(phone)) session.end('banned');
  }

  /** A session of this credential is up; one that was before it is replaced. */
  sessionUp(credential: string, session: DeviceSession): void {
    const older = this.#sessions.get(credential);
    this.#sessions.set(credential, session);
    this.#note(credential, session, 'up');
    older?.end('replaced');
  }

  sessionEnded(credential: string, session: DeviceSession): void {
    if (this.#sessions.get(credential) === session) this.#sessions.delete(credential);
    this.#note(credential, session, 'over');
  }

  /** Lets work run that nobody waits for. */
  runInBackground(work: Promise<unknown>): void {
    work.catch(this.#failed);
  }

  #sessionsOf(phone: string): DeviceSession[] {
    return (this.state.linkedDevices(phone) ?? []).flatMap(
      (device) => this.#sessions.get(device.credential) ?? [],
    );
  }

  /** For who reads the journal; a connection does not wait for it, but what it hands over comes after it. */
  #note(credential: string, { id: session }: DeviceSession, state: 'up' | 'over'): void {
    this.runInBackground(this.#record({ type: 'session', at: now(), credential, session, state }));
  }

  async #record(fact: Fact): Promise<void> {
    for (const device of await this.#journal.append(fact)) {
      const session = this.#sessions.get(device.credential);
      if (session) this.runInBackground(session.deliver());
    }
  }
}

const PHONE_NUMBER = new RegExp(PHONE_NUMBER_PATTERN);

/** Whether a number is well-formed and some phone on the network has it. */
export function phoneExists(number: string): boolean {
  return PHONE_NUMBER.test(number) && !number.startsWith(UNREACHABLE_PREFIX);
}

function now(): string {
  return new Date().toISOString();
}
