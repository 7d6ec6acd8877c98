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

/** The session is over: what would still be written could undo what the next one has written. */
class SessionOver extends Error {
  override readonly name = 'SessionOver';
}

/**
 * The library's credentials and keys in the session's store, one write after the other. The first write that fails ends
 * the session: `onFailure` runs before the library hears of it, so that it can tell the network nothing more.
 */
export class StoredState {
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly #store: SessionStore;
  readonly #onFailure: (error: unknown) => void;
  readonly #underWay = new Set<Promise<unknown>>();
  #writing: Promise<unknown> = Promise.resolve();
  #over = false;

  private constructor(creds: AuthenticationCreds, store: SessionStore, onFailure: (error: unknown) => void) {
    this.creds = creds;
    this.#store = store;
    this.#onFailure = onFailure;
    this.keys = {
      get: (type, ids) => this.#track(this.#readKeys(type, ids)),
      set: (data) => this.write(entriesOf(data)),
    };
  }

  /** Fresh credentials where none are stored; they are not stored before a phone is linked. */
  static async open(store: SessionStore, onFailure: (error: unknown) => void): Promise<StoredState> {
    const stored = (await store.read(credentials.kind, [credentials.id])).get(credentials.id);
    // What `saveCreds` has written.
    const creds = stored === undefined ? initAuthCreds() : (parse(stored) as AuthenticationCreds);
    return new StoredState(creds, store, onFailure);
  }

  /** Whether a phone is linked. */
  get linked(): boolean {
    return this.creds.me !== undefined;
  }

  /** Stores the credentials as they are now, `changes` put into them. */
  saveCreds(changes: Partial<AuthenticationCreds> = {}): Promise<void> {
    return this.write([{ ...credentials, value: { ...this.creds, ...changes } }]);
  }

  /** A value as it was written; undefined when there is none. */
  async read(kind: string, id: string): Promise<unknown> {
    const stored = (await this.#store.read(kind, [id])).get(id);
    return stored === undefined ? undefined : parse(stored);
  }

  /** Stores values, or removes them where null. */
  async write(entries: readonly StateEntry[]): Promise<void> {
    const encoded: SessionEntry[] = entries.map(({ kind, id, value }) => ({
      kind,
      id,
      value: value === null ? null : encode(value),
    }));
    const mine = this.#writing.then(() => this.#writeNow(encoded));
    // The next write has its own fate: it finds the session over.
    this.#writing = mine.catch(() => undefined);
    await this.#track(mine);
  }

  /** Resolves when the library neither reads nor writes any more, for now. */
  async waitUntilIdle(): Promise<void> {
    do {
      await Promise.allSettled(this.#underWay);
      await setImmediate();
    } while (this.#underWay.size > 0);
  }

  /** Writes nothing from now on; resolves when what is under way is done. */
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
    // What was written under a type is of that type.
    return Object.fromEntries(
      [...found].map(([id, value]) => [id, revived(type, parse(value)) as SignalDataTypeMap[Type]]),
    );
  }

  #track<Result>(operation: Promise<Result>): Promise<Result> {
    this.#underWay.add(operation);
    const forget = () => this.#underWay.delete(operation);
    operation.then(forget, forget);
    return operation;
  }
}

export interface StateEntry {
  kind: string;
  id: string;
  value: unknown;
}

const entriesOf = (data: object): StateEntry[] =>
  Object.entries(data).flatMap(([kind, values]) =>
    Object.entries(values ?? {}).map(([id, value]) => ({ kind, id, value: value ?? null })),
  );

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, BufferJSON.replacer));

const parse = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes).toString('utf8'), BufferJSON.reviver);

/** The one type that the library wants as its own object, not as plain JSON. */
const revived = (type: string, value: unknown): unknown =>
  type === 'app-state-sync-key' && typeof value === 'object' && value !== null
    ? proto.Message.AppStateSyncKeyData.fromObject(value)
    : value;
