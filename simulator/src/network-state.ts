import { Chat, type ChatEntry, indexKey } from './chat.ts';
import type { StoredContent } from './content.ts';

/** An entry of the journal. `at` is an ISO timestamp. */
export type Fact =
  | { type: 'linked'; at: string; credential: string; phone: string }
  | { type: 'unlinked'; at: string; credential: string }
  | { type: 'banned'; at: string; phone: string }
  /** A connection of a linked device. A device has at most one connection that is up. */
  | { type: 'session'; at: string; credential: string; session: string; state: 'up' | 'over' }
  /** `sender` is the credential of the sending device, or null for a phone. `session` is the device's connection. */
  | {
      type: 'message';
      at: string;
      id: string;
      from: string;
      to: string;
      sender: string | null;
      session?: string;
      content: StoredContent;
    }
  /** The contact's phone received the message. */
  | { type: 'delivered'; at: string; credential: string; id: string }
  | { type: 'received'; credential: string; delivery: number }
  /** The next three replace all facts before them when the journal is compacted. */
  | { type: 'phone'; phone: string; banned: boolean }
  | {
      type: 'device';
      credential: string;
      phone: string;
      queue: [delivery: number, item: QueueItem][];
      nextDelivery: number;
    }
  | { type: 'chat'; phone: string; contact: string; entries: readonly ChatEntry[] };

export type QueueItem =
  | { type: 'message'; contact: string; fromMe: boolean; entry: ChatEntry }
  | { type: 'receipt'; id: string; state: 'delivered' | 'read' };

/** `queue` holds unconfirmed deliveries in order. */
export interface LinkedDevice {
  credential: string;
  phone: string;
  queue: Map<number, QueueItem>;
  nextDelivery: number;
}

interface Phone {
  banned: boolean;
  devices: Set<LinkedDevice>;
}

/** Older messages of a chat are dropped when the journal is compacted. */
const keptEntries = 500;

/** The state of the network, computed from the journal. */
export class NetworkState {
  readonly #phones = new Map<string, Phone>();
  readonly #devices = new Map<string, LinkedDevice>();
  readonly #chats = new Map<string, Chat>();

  device(credential: string): LinkedDevice | null {
    return this.#devices.get(credential) ?? null;
  }

  linkedDevices(phone: string): LinkedDevice[] | null {
    const known = this.#phones.get(phone);
    return known ? [...known.devices] : null;
  }

  linkedPhones(): string[] {
    return [...this.#phones].filter(([, { devices }]) => devices.size > 0).map(([number]) => number);
  }

  isBanned(phone: string): boolean {
    return this.#phones.get(phone)?.banned ?? false;
  }

  chat(phone: string, contact: string): readonly ChatEntry[] {
    return this.#chats.get(chatKey(phone, contact))?.entries ?? [];
  }

  /** Returns whether all linked devices of the phone have confirmed a message of the chat. */
  confirmedIn(phone: string, contact: string): (entry: ChatEntry) => boolean {
    const queued = (this.linkedDevices(phone) ?? []).flatMap(({ queue }) => [...queue.values()]);
    // By key: the entries of a queue and of a chat are different objects after a compaction and a restart.
    const unconfirmed = new Set(
      queued.flatMap((item) =>
        item.type === 'message' && item.contact === contact ? indexKey(item.entry) : [],
      ),
    );
    return (entry) => !unconfirmed.has(indexKey(entry));
  }

  /** Returns the devices that may have a delivery to send now. */
  apply(fact: Fact): LinkedDevice[] {
    switch (fact.type) {
      case 'linked':
        this.#link(fact.credential, fact.phone);
        return [];
      case 'unlinked':
        this.#unlink(fact.credential);
        return [];
      case 'banned':
        this.#phone(fact.phone).banned = true;
        return [];
      case 'session':
        return [];
      case 'message':
        return this.#addMessage(fact);
      case 'delivered':
        return this.#enqueue(this.device(fact.credential), {
          type: 'receipt',
          id: fact.id,
          state: 'delivered',
        });
      case 'received': {
        const device = this.device(fact.credential);
        return device?.queue.delete(fact.delivery) ? [device] : [];
      }
      case 'phone':
        this.#phone(fact.phone).banned = fact.banned;
        return [];
      case 'device': {
        const device = this.#link(fact.credential, fact.phone);
        device.queue = new Map(fact.queue);
        device.nextDelivery = fact.nextDelivery;
        return [];
      }
      case 'chat': {
        const chat = this.#chat(fact.phone, fact.contact);
        for (const entry of fact.entries) chat.add(entry);
        return [];
      }
    }
  }

  /** Yields facts that restore this state, without old messages. */
  *facts(): Generator<Fact> {
    for (const [phone, { banned }] of this.#phones) yield { type: 'phone', phone, banned };
    for (const { queue, ...device } of this.#devices.values())
      yield { type: 'device', ...device, queue: [...queue] };
    for (const [key, chat] of this.#chats) {
      const [phone = '', contact = ''] = key.split(' ');
      yield { type: 'chat', phone, contact, entries: chat.entries.slice(-keptEntries) };
    }
  }

  #link(credential: string, phone: string): LinkedDevice {
    const device: LinkedDevice = { credential, phone, queue: new Map(), nextDelivery: 1 };
    this.#devices.set(credential, device);
    this.#phone(phone).devices.add(device);
    return device;
  }

  #unlink(credential: string): void {
    const device = this.device(credential);
    if (!device) return;
    this.#devices.delete(credential);
    this.#phone(device.phone).devices.delete(device);
  }

  #addMessage(fact: Extract<Fact, { type: 'message' }>): LinkedDevice[] {
    const { from, to } = fact;
    return [...this.#addToChat(from, to, 'out', fact), ...this.#addToChat(to, from, 'in', fact)];
  }

  /** Queues the message for the phone's other devices. A further copy only increases `copies`. */
  #addToChat(
    phone: string,
    contact: string,
    direction: 'in' | 'out',
    fact: Extract<Fact, { type: 'message' }>,
  ): LinkedDevice[] {
    const devices = this.linkedDevices(phone);
    if (!devices) return [];
    const chat = this.#chat(phone, contact);
    const known = chat.find(direction, fact.id);
    if (known) {
      known.copies += 1;
      return [];
    }
    // A reply marks earlier messages as read.
    const read = direction === 'in' ? chat.sentSinceLastInbound() : [];
    const { at: sentAt, content, id, sender } = fact;
    const entry: ChatEntry = { id, direction, sentAt, content, sender, copies: 1 };
    chat.add(entry);
    const fromMe = direction === 'out';
    return [
      ...read.flatMap((sent) =>
        this.#enqueue(this.#getSender(sent), { type: 'receipt', id: sent.id, state: 'read' }),
      ),
      ...devices
        .filter(({ credential }) => credential !== sender)
        .flatMap((device) => this.#enqueue(device, { type: 'message', contact, fromMe, entry })),
    ];
  }

  #getSender({ sender }: ChatEntry): LinkedDevice | null {
    return sender === null ? null : this.device(sender);
  }

  #chat(phone: string, contact: string): Chat {
    const key = chatKey(phone, contact);
    const chat = this.#chats.get(key) ?? new Chat();
    this.#chats.set(key, chat);
    return chat;
  }

  #enqueue(device: LinkedDevice | null, item: QueueItem): LinkedDevice[] {
    if (!device) return [];
    device.queue.set(device.nextDelivery, item);
    device.nextDelivery += 1;
    return [device];
  }

  #phone(number: string): Phone {
    const phone = this.#phones.get(number) ?? { banned: false, devices: new Set<LinkedDevice>() };
    this.#phones.set(number, phone);
    return phone;
  }
}

function chatKey(phone: string, contact: string): string {
  return `${phone} ${contact}`;
}
