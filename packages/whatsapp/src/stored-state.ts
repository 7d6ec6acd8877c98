import { setImmediate } from 'node:timers/promises';
import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys';
import type {
  SessionEntry,
  SessionStore,
} from '../../../server/src/adapters/messaging-network/messaging-network.ts';

const credentials = { kind: 'creds', id: 'creds' } as const;

/** Rejects writes after the end of the session, because they could overwrite those of the next session. */
class SessionOver extends Error {
  override readonly name = 'SessionOver';
}

/** Writes one at a time. After a failed write, `onFailure` closes the connection before the library sees the error. */
export class StoredState {
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly #store: SessionStore;
  readonly #onFailure: (error: unknown) => void;
  readonly #running = new Set<Promise<unknown>>();
  #writing: Promise<unknown> = Promise.resolve();
  #over = false;

  private constructor(creds: AuthenticationCreds, store: SessionStore, onFailure: (error: unknown) => void) {
    this.creds = creds;
    this.#store = store;
    this.#onFailure = onFailure;
    this.keys = {
      get: (type, ids) => this.#track(this.#readKeys(type, ids)),
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

  async write(entries: readonly StateEntry[]): Promise<void> {
    const encoded: SessionEntry[] = entries.map(({ kind, id, value }) => ({
      kind,
      id,
      value: value === null ? null : encode(value),
    }));
    const written = this.#writing.then(() => this.#writeNow(encoded));
    // After a failure the next write rejects with `SessionOver`.
    this.#writing = written.catch(() => undefined);
    await this.#track(written);
  }

  async waitUntilIdle(): Promise<void> {
    do {
      await Promise.allSettled(this.#running);
      await setImmediate();
    } while (this.#running.size > 0);
  }

  async close(): Promise<void> {
    this.#over = true;
    await this.#writing;
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
    const found = await this.#store.read(type, ids);
    // Values are stored by their type.
    return Object.fromEntries(
      [...found].map(([id, value]) => [id, revive(type, parse(value)) as SignalDataTypeMap[Type]]),
    );
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

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, BufferJSON.replacer));

const parse = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes).toString('utf8'), BufferJSON.reviver);

/** The library expects a protobuf object for this type. */
const revive = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' && typeof value === 'object' && value !== null
    ? proto.Message.AppStateSyncKeyData.fromObject(value)
    : value;
