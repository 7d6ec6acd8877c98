import type { BinaryNode } from 'baileys';
import type { Connection } from './connection.ts';
import { type Bundle, SignalParty } from './signal-party.ts';

/** A device linked to a phone. */
export class LinkedDevice {
  readonly phone: Phone;
  readonly id: number;
  readonly clientKey: Buffer;
  readonly bundle: Omit<Bundle, 'preKey'>;
  readonly preKeys: { id: number; value: Uint8Array }[] = [];
  /** Unconfirmed messages by id, in order. */
  readonly waiting = new Map<string, BinaryNode>();
  connection: Connection | null = null;
  /** The device is logged in, and the network has sent its backlog. */
  ready = false;
  /** Applies to its next message. */
  nextOutcome: 'refuse' | 'lose' | null = null;

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
  readonly signal = new SignalParty();
  readonly devices = new Map<number, LinkedDevice>();
  banned = false;
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

  nextDeviceId(): number {
    this.#lastDevice += 1;
    return this.#lastDevice;
  }
}

/** Numbers with this prefix have no account. */
const withoutAccount = '+999';

export class Accounts {
  readonly #phones = new Map<string, Phone>();

  /** Returns null when the number has no account. */
  getPhone(number: string): Phone | null {
    if (number.startsWith(withoutAccount)) return null;
    const phone = this.#phones.get(number) ?? new Phone(number);
    this.#phones.set(number, phone);
    return phone;
  }

  /** Accepts number and LID addresses, with or without a device. */
  findByJid(jid: string): Phone | null {
    const [local = '', server = ''] = jid.split('@');
    const user = local.split(':')[0] ?? '';
    if (server !== 'lid') return this.getPhone(`+${user}`);
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
