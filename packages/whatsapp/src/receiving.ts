import { createHash } from 'node:crypto';
import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  proto,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type SignalRepositoryWithLIDStore,
  unpadRandomMax16,
  writeRandomPadMax16,
} from 'baileys';
import type { InboundMessage } from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import { inboundFrom } from './inbound-message.ts';
import type { StoredState } from './stored-state.ts';

type Repository = SignalRepositoryWithLIDStore;
type Sealed = Parameters<Repository['decryptMessage']>[0];

export interface ReceivingOptions {
  state: StoredState;
  /** Rejects when the message could not be kept; the session is cut by then. */
  handOver(message: InboundMessage): Promise<void>;
  warn(why: string): void;
}

const recent = { kind: 'handled', id: 'recent' } as const;
/** Messages remembered as handled: more than can be on their way back to the network unconfirmed. */
const remembered = 128;

/**
 * Takes messages where the library opens them, before it confirms them. The handler runs inside the transaction that
 * moves the encryption on: first the handler keeps the message, then the keys are stored, then the network is told.
 * Whatever is cut off in between, the network brings the message again. Before the keys are stored it can be opened
 * again; after, it cannot, and is known by its digest, stored with the keys: it is confirmed without being handled.
 */
export class Receiving {
  readonly #options: ReceivingOptions;
  /** The stanza of each sealed message, which the library does not pass on to where it is opened. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  /** Digests of what was handled, the oldest first. */
  #handled: readonly string[];

  private constructor(options: ReceivingOptions, handled: readonly string[]) {
    this.#options = options;
    this.#handled = handled;
  }

  static async begin(options: ReceivingOptions): Promise<Receiving> {
    const handled = await options.state.read(recent.kind, recent.id);
    return new Receiving(options, Array.isArray(handled) ? handled.map(String) : []);
  }

  /** A stanza that came in; what it seals is opened later. */
  expect(stanza: BinaryNode): void {
    for (const { tag, content } of getAllBinaryNodeChildren(stanza)) {
      if (tag === 'enc' && content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /** In place of the library's own opening of a message from one device to another. */
  async open(
    sealed: Sealed,
    { keys, repository }: { keys: SignalKeyStoreWithTransaction; repository: Repository },
  ): Promise<Uint8Array> {
    const digest = digestOf(sealed.ciphertext);
    if (this.#handled.includes(digest)) return writeRandomPadMax16(proto.Message.encode({}).finish());
    const handled = [...this.#handled, digest].slice(-remembered);
    return keys.transaction(async () => {
      const opened = await repository.decryptMessage(sealed);
      const message = await this.#read(sealed.ciphertext, opened, repository);
      if (message !== null) {
        await this.#options.handOver(message);
        await keys.set(keysBeside({ [recent.kind]: { [recent.id]: handled } }));
        this.#handled = handled;
      }
      return opened;
    }, sealed.jid);
  }

  /** Null when there is nothing in it for a conversation. */
  async #read(
    ciphertext: Uint8Array,
    opened: Uint8Array,
    repository: Repository,
  ): Promise<InboundMessage | null> {
    const stanza = this.#stanzas.get(ciphertext);
    const { me } = this.#options.state.creds;
    if (stanza === undefined || me === undefined)
      throw new Error('a message was opened that did not come in');
    const message = proto.Message.decode(unpadRandomMax16(opened));
    return inboundFrom(stanza, message, {
      me,
      numberOf: (lid) => repository.lidMapping.getPNForLID(lid),
      warn: this.#options.warn,
    });
  }
}

const digestOf = (ciphertext: Uint8Array): string =>
  createHash('sha256').update(ciphertext).digest().subarray(0, 16).toString('base64');

/** The library's keys take kinds that it does not know itself, though their type does not say so. */
const keysBeside = (entries: object): SignalDataSet => entries;
