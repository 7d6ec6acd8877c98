import type { BinaryNode, proto } from 'baileys';
import type { Connection } from './connection.ts';
import { type Bundle, SignalParty } from './signal-party.ts';

export interface WaitingStanza {
  node: BinaryNode;
  /** The device asked for the message again and then rejects the first stanza. */
  retried: boolean;
}

/**
 * How the server addresses a contact: `lid` and `pn` reveal both addresses, `pn_only` and `lid_only` just one.
 */
export type Addressing = 'lid' | 'pn' | 'pn_only' | 'lid_only';

/** A device linked to a phone. */
export class LinkedDevice {
  readonly phone: Phone;
  readonly id: number;
  readonly clientKey: Buffer;
  readonly bundle: Omit<Bundle, 'preKey'>;
  readonly preKeys: { id: number; value: Uint8Array }[] = [];
  /** Unconfirmed stanzas by id, in order. */
  readonly waiting = new Map<string, WaitingStanza>();
  /** Unconfirmed receipts by id and type. */
  readonly receipts = new Map<string, BinaryNode>();
  connection: Connection | null = null;
  /** The device is logged in, and the network has sent its backlog. */
  ready = false;
  /** Applies to its next message. */
  nextOutcome: 'refuse' | 'refuse_late' | 'lose' | null = null;
  /** The refusal of a message that the network has not sent yet. */
  lateRefusal: BinaryNode | null = null;
  /** The stanza that answers each login, until it is removed. */
  loginFailure: BinaryNode | null = null;

  constructor(phone: Phone, id: number, clientKey: Buffer, bundle: Omit<Bundle, 'preKey'>) {
    this.phone = phone;
    this.id = id;
    this.clientKey = clientKey;
    this.bundle = bundle;
  }

  get jid(): string {
    return `${this.phone.user}:${this.id}@s.whatsapp.net`;
  }

  get lid(): string {
    return `${this.phone.lidUser}:${this.id}@lid`;
  }

  takeBundle(): Bundle {
    return { ...this.bundle, preKey: this.preKeys.shift() ?? null };
  }
}

/** A phone with an account. It is device 0 and has its own keys. */
export class Phone {
  /** With `+`. */
  readonly number: string;
  signal = new SignalParty();
  readonly devices = new Map<number, LinkedDevice>();
  addressing: Addressing = 'lid';
  /** How the owner calls the account. */
  name: string | null = null;
  /** The Business app sends it to each contact who writes for the first time. */
  greeting: string | null = null;
  /** The phone has no connection, so it answers no requests of its devices. */
  offline = false;
  /** Until then the network refuses messages to contacts who never wrote to this phone. */
  restrictedUntil: Date | null = null;
  /** Numbers of the contacts who wrote to this phone. */
  readonly writers = new Set<string>();
  /** Contacts whose messages need their token, which the network gives to this phone's devices if they wrote. */
  readonly tokens = new Map<string, Buffer>();
  /** Messages that only the phone received, by id. */
  readonly hidden = new Map<string, HiddenMessage>();
  #lastDevice = 0;

  constructor(number: string) {
    this.number = number;
  }

  /** The local part of its addresses by number. */
  get user(): string {
    return this.number.slice(1);
  }

  /** The local part of its LID addresses. */
  get lidUser(): string {
    return `9${this.user.split('').reverse().join('')}9`;
  }

  get jid(): string {
    return `${this.user}@s.whatsapp.net`;
  }

  get lid(): string {
    return `${this.lidUser}@lid`;
  }

  /** The address in stanzas of its messages. */
  get address(): string {
    return this.addressing.startsWith('pn') ? this.jid : this.lid;
  }

  /** The attributes that reveal its other address. */
  alternative(role: 'sender' | 'peer_recipient' | 'caller'): Record<string, string> {
    if (this.addressing === 'lid') return { [`${role}_pn`]: this.jid };
    return this.addressing === 'pn' ? { [`${role}_lid`]: this.lid } : {};
  }

  nextDeviceId(): number {
    this.#lastDevice += 1;
    return this.#lastDevice;
  }
}

export interface HiddenMessage {
  from: Phone;
  message: proto.IMessage;
}

/** Numbers with this prefix have no account. */
const withoutAccount = '+999';

/** Accounts in Brazil may be registered without the ninth digit that their owners dial. */
const toAccountNumber = (dialled: string): string => dialled.replace(/^\+55(\d\d)9(\d{8})$/, '+55$1$2');

export class Accounts {
  readonly #phones = new Map<string, Phone>();

  /** Returns null when the number has no account. */
  getPhone(alias: string): Phone | null {
    const number = toAccountNumber(alias);
    if (number.startsWith(withoutAccount)) return null;
    const phone = this.#phones.get(number) ?? new Phone(number);
    this.#phones.set(number, phone);
    return phone;
  }

  all(): Phone[] {
    return [...this.#phones.values()];
  }

  /** Accepts number and LID addresses, with or without a device. */
  findByJid(jid: string): Phone | null {
    const [local = '', server = ''] = jid.split('@');
    const user = local.split(':')[0] ?? '';
    if (server !== 'lid')
      return toAccountNumber(`+${user}`) === `+${user}` ? this.getPhone(`+${user}`) : null;
    return [...this.#phones.values()].find(({ lidUser }) => lidUser === user) ?? null;
  }

  findDeviceByKey(clientKey: Buffer): LinkedDevice | null {
    for (const phone of this.#phones.values()) {
      for (const device of phone.devices.values()) if (device.clientKey.equals(clientKey)) return device;
    }
    return null;
  }

  /** Returns the device that was linked last. */
  getLinkedDevice(number: string): LinkedDevice {
    const device = [...(this.getPhone(number)?.devices.values() ?? [])].at(-1);
    if (!device) throw new Error(`no device is linked to ${number}`);
    return device;
  }
}
