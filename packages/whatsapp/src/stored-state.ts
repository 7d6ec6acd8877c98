import { setImmediate } from 'node:timers/promises';
import type { SessionEntry, SessionStore } from '@parley/server/messaging-network';
import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys';
import { KeyCache } from './key-cache.ts';

const credentials = { kind: 'creds', id: 'creds' } as const;

/** Rejects writes after the end of the session, because they could overwrite those of the next session. */
class SessionOver extends Error {
  override readonly name = 'SessionOver';
}

/**
 * Writes in order. Writes that arrive together, or during another write, share one. After a failed write, `onFailure` closes
 * the connection before the library sees the error.
 */
export class StoredState {
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly #store: SessionStore;
  readonly #onFailure: (error: unknown) => void;
  readonly #cache = new KeyCache();
  readonly #running = new Set<Promise<unknown>>();
  /** The write that has not begun, and its end. */
  #next: { entries: SessionEntry[]; written: Promise<void> } | null = null;
  /** The write that began last. */
  #last: Promise<void> = Promise.resolve();
  #over = false;

  private constructor(creds: AuthenticationCreds, store: SessionStore, onFailure: (error: unknown) => void) {
    this.creds = creds;
    this.#store = store;
    this.#onFailure = onFailure;
    this.keys = {
      get: (type, ids) => this.#readKeys(type, ids),
      set: (data) => this.write(toEntries(data)),
    };
  }

  /** Creates credentials when none are stored. They are stored once a phone is linked. */
  static async open(store: SessionStore, onFailure: (error: unknown) => void): Promise<StoredState> {
    const stored = (await store.read(credentials.kind, [credentials.id])).get(credentials.id);
    // Written by `saveCreds`.
    const creds = stored === undefined ? initAuthCreds() : (parse(stored) as AuthenticationCreds);
    return new StoredState(creds, store, onFailure);
  }

  /** The library sets `me` as soon as it requests a pairing code. */
  get linked(): boolean {
    return this.creds.account !== undefined;
  }

  saveCreds(changes: Partial<AuthenticationCreds> = {}): Promise<void> {
    return this.write([{ ...credentials, value: { ...this.creds, ...changes } }]);
  }

  async read(kind: string, id: string): Promise<unknown> {
    const stored = (await this.#store.read(kind, [id])).get(id);
    return stored === undefined ? undefined : parse(stored);
  }

  /** Skips values that it has already written. */
  async write(entries: readonly StateEntry[]): Promise<void> {
    const changed = entries.filter((entry) => this.#cache.update(entry));
    if (changed.length > 0) this.#schedule().entries.push(...changed.map(encodeEntry));
    // A skipped value may still wait for its write.
    await this.#track(this.#next?.written ?? this.#last);
  }

  #schedule() {
    if (this.#next !== null) return this.#next;
    const entries: SessionEntry[] = [];
    // After a failure the next write rejects with `SessionOver`.
    const written = this.#last
      .catch(() => undefined)
      .then(async () => {
        // The library encrypts a message for several devices at once.
        await setImmediate();
        this.#next = null;
        this.#last = written;
        await this.#writeNow(entries);
      });
    written.catch(() => undefined);
    this.#next = { entries, written };
    return this.#next;
  }

  async waitUntilIdle(): Promise<void> {
    do {
      await Promise.allSettled(this.#running);
      await setImmediate();
    } while (this.#running.size > 0);
  }

  async close(): Promise<void> {
    this.#over = true;
    await (this.#next?.written ?? this.#last).catch(() => undefined);
  }

  async #writeNow(entries: readonly SessionEntry[]): Promise<void> {
    if (this.#over) throw new SessionOver();
    try {
      await this.#store.write(entries);
    } catch (error) {
      this.#over = true;
      this.#onFailure(error);
      throw error;
    }
  }

  async #readKeys<Type extends keyof SignalDataTypeMap>(
    type: Type,
    ids: string[],
  ): Promise<Record<string, SignalDataTypeMap[Type]>> {
    const values = new Map(ids.map((id) => [id, this.#cache.get(type, id)]));
    const missing = ids.filter((id) => values.get(id) === undefined);
    if (missing.length > 0) {
      const reading = this.#cache.fill(type, missing, () => this.#readStored(type, missing));
      for (const [id, value] of await this.#track(reading)) values.set(id, value);
    }
    // Values are stored by their type.
    return Object.fromEntries(
      [...values].filter(([, value]) => value !== undefined && value !== null),
    ) as Record<string, SignalDataTypeMap[Type]>;
  }

  async #readStored(type: string, ids: readonly string[]): Promise<Map<string, unknown>> {
    // The cache may have dropped a value that waits for its write.
    await (this.#next?.written ?? this.#last);
    const found = await this.#store.read(type, ids);
    return new Map([...found].map(([id, value]) => [id, revive(type, parse(value))]));
  }

  #track<Result>(operation: Promise<Result>): Promise<Result> {
    this.#running.add(operation);
    const forget = () => this.#running.delete(operation);
    operation.then(forget, forget);
    return operation;
  }
}

export interface StateEntry {
  kind: string;
  id: string;
  value: unknown;
}

const toEntries = (data: object): StateEntry[] =>
  Object.entries(data).flatMap(([kind, values]) =>
    Object.entries(values ?? {}).map(([id, value]) => ({ kind, id, value: value ?? null })),
  );

const encodeEntry = ({ kind, id, value }: StateEntry): SessionEntry => ({
  kind,
  id,
  value: value === null ? null : Buffer.from(JSON.stringify(value, replacerOf(kind))),
});

/** Encryption sessions contain no bytes, and each message writes two. The replacer would visit all their values. */
const replacerOf = (kind: string) => (kind === 'session' ? undefined : BufferJSON.replacer);

const parse = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes).toString('utf8'), BufferJSON.reviver);

/** The library expects a protobuf object for this type. */
const revive = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' && typeof value === 'object' && value !== null
    ? proto.Message.AppStateSyncKeyData.fromObject(value)
    : value;
