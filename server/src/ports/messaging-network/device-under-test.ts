import {
  type ContactDirectory,
  type DownReason,
  type InboundMessage,
  type MessageContent,
  type MessagingNetwork,
  type NetworkSession,
  type NewChatRestriction,
  NotOwner,
  type SessionEntry,
  type SessionEvents,
  type SessionStore,
} from './messaging-network.ts';

export class MemorySessionStore implements SessionStore {
  readonly #values = new Map<string, Uint8Array>();
  fenced = false;

  get size(): number {
    return this.#values.size;
  }

  async read(kind: string, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const id of ids) {
      const value = this.#values.get(`${kind} ${id}`);
      if (value) found.set(id, value);
    }
    return found;
  }

  async write(entries: readonly SessionEntry[]): Promise<void> {
    if (this.fenced) throw new NotOwner('device under test');
    for (const { kind, id, value } of entries) {
      if (value) this.#values.set(`${kind} ${id}`, value);
      else this.#values.delete(`${kind} ${id}`);
    }
  }
}

/** Keeps the first contact of an address, like the real directory. */
export class MemoryContacts implements ContactDirectory {
  readonly #contacts = new Map<string, string>();

  async identify({
    number,
    addresses,
  }: {
    number: string | null;
    addresses: readonly string[];
  }): Promise<string> {
    const known = addresses.map((address) => this.#contacts.get(address)).find((each) => each !== undefined);
    const contact = known ?? number ?? `lid:${addresses[0]?.split('@')[0]}`;
    for (const address of addresses) this.#contacts.set(address, contact);
    return contact;
  }

  async findAddress(contact: string): Promise<string | null> {
    return [...this.#contacts].find(([, each]) => each === contact)?.[0] ?? null;
  }
}

type RecordedEvent =
  | { type: 'qr'; text: string; expiresAt: Date }
  | { type: 'paired'; phoneNumber: string }
  | { type: 'up'; phoneNumber: string | null }
  | { type: 'down'; reason: DownReason; until?: Date }
  | { type: 'restricted'; restriction: NewChatRestriction | null }
  | { type: 'inbound'; message: InboundMessage }
  | { type: 'receipt'; networkId: string; state: string };

/** A device with its store, its consecutive sessions and all their events. */
export class DeviceUnderTest {
  readonly store = new MemorySessionStore();
  readonly contacts = new MemoryContacts();
  /** Messages that a contact may request again, by id. */
  readonly sent = new Map<string, MessageContent>();
  readonly events: RecordedEvent[] = [];
  handlers: Partial<SessionEvents> = {};
  readonly #deviceId = crypto.randomUUID();
  readonly #pairingPhoneNumber: string | null;
  #changed = Promise.withResolvers<void>();

  constructor({ pairingPhoneNumber = null }: { pairingPhoneNumber?: string | null } = {}) {
    this.#pairingPhoneNumber = pairingPhoneNumber;
  }

  open(network: MessagingNetwork): NetworkSession {
    const { store, contacts } = this;
    return network.openSession({
      deviceId: this.#deviceId,
      store,
      contacts,
      events: this.#events(),
      pairingPhoneNumber: this.#pairingPhoneNumber,
      findSent: async (networkId) => this.sent.get(networkId) ?? null,
    });
  }

  /** Waits for the first event of this type after `skip` earlier ones. */
  async waitFor<Type extends RecordedEvent['type']>(
    type: Type,
    skip = 0,
  ): Promise<Extract<RecordedEvent, { type: Type }>> {
    for (;;) {
      const found = this.all(type)[skip];
      if (found) return found;
      await this.#changed.promise;
    }
  }

  all<Type extends RecordedEvent['type']>(type: Type): Extract<RecordedEvent, { type: Type }>[] {
    return this.events.filter(
      (entry): entry is Extract<RecordedEvent, { type: Type }> => entry.type === type,
    );
  }

  texts(): string[] {
    return this.all('inbound').map(({ message }) =>
      message.content.kind === 'text' ? message.content.text : '',
    );
  }

  #record(entry: RecordedEvent): void {
    this.events.push(entry);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #events(): SessionEvents {
    return {
      qr: async (code) => {
        this.#record({ type: 'qr', ...code });
        await this.handlers.qr?.(code);
      },
      paired: async (account) => {
        this.#record({ type: 'paired', ...account });
        await this.handlers.paired?.(account);
      },
      up: async (account) => {
        this.#record({ type: 'up', ...account });
        await this.handlers.up?.(account);
      },
      down: async (reason, until) => {
        this.#record({ type: 'down', reason, ...(until && { until }) });
        await this.handlers.down?.(reason, until);
      },
      account: async () => undefined,
      templates: async () => undefined,
      restricted: async (restriction) => {
        this.#record({ type: 'restricted', restriction });
        await this.handlers.restricted?.(restriction);
      },
      inbound: async (message) => {
        this.#record({ type: 'inbound', message });
        await this.handlers.inbound?.(message);
      },
      receipt: async (receipt) => {
        this.#record({ type: 'receipt', ...receipt });
        await this.handlers.receipt?.(receipt);
      },
    };
  }
}
