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
import { readInboundMessage } from './inbound-message.ts';
import { addDecrypted, type Inbox, inboxEntry, parseInbox, removeDelivered, toStateEntry } from './inbox.ts';
import type { RunExclusive } from './mutex.ts';
import type { StoredState } from './stored-state.ts';

type Repository = SignalRepositoryWithLIDStore;
type Sealed = Parameters<Repository['decryptMessage']>[0];

export interface MessageReceiverOptions {
  state: StoredState;
  runExclusive: RunExclusive;
  /** Rejects when the message could not be stored. The session is closed by then. */
  deliver(message: InboundMessage): Promise<void>;
  warn(why: string): void;
}

/**
 * Stores and delivers messages during decryption, before the library confirms them. One write stores the advanced keys
 * and the decrypted message. After an interruption the network redelivers the message. If the write had happened, the
 * message cannot be decrypted again; it is recognized by its digest and confirmed once the stored copy is delivered.
 */
export class MessageReceiver {
  readonly #options: MessageReceiverOptions;
  /** The stanza of each ciphertext, which the library does not pass to the decryption. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  #inbox: Inbox;
  /** Delivers the messages that the previous session left. */
  readonly #previous: Promise<void>;

  private constructor(options: MessageReceiverOptions, inbox: Inbox) {
    this.#options = options;
    this.#inbox = inbox;
    this.#previous = this.#deliverWaiting();
    // The next decryption rejects. The session is closed in any case.
    this.#previous.catch(() => undefined);
  }

  /** Delivers the messages that were decrypted but not stored by the pool. */
  static async start(options: MessageReceiverOptions): Promise<MessageReceiver> {
    return new MessageReceiver(options, parseInbox(await options.state.read(inboxEntry.kind, inboxEntry.id)));
  }

  expect(stanza: BinaryNode): void {
    for (const { tag, content } of getAllBinaryNodeChildren(stanza)) {
      if (tag === 'enc' && content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /** Replaces the library's decryption, which it calls for one message at a time. */
  async open(
    sealed: Sealed,
    { keys, repository }: { keys: SignalKeyStoreWithTransaction; repository: Repository },
  ): Promise<Uint8Array> {
    await this.#previous;
    const digest = digestOf(sealed.ciphertext);
    if (this.#inbox.digests.includes(digest)) return emptyMessage();
    const opening = () =>
      keys.transaction(async () => {
        const opened = await repository.decryptMessage(sealed);
        const message = await this.#read(sealed.ciphertext, opened, repository);
        const inbox = message === null ? this.#inbox : addDecrypted(this.#inbox, { digest, message });
        if (message !== null) await keys.set(toKeyData(inbox));
        return { opened, inbox };
      }, sealed.jid);
    const { opened, inbox } = await this.#options.runExclusive(opening);
    this.#inbox = inbox;
    await this.#deliverWaiting();
    return opened;
  }

  async #deliverWaiting(): Promise<void> {
    const { deliver: handOver, state } = this.#options;
    for (const { digest, message } of this.#inbox.waiting) {
      await handOver(message);
      this.#inbox = removeDelivered(this.#inbox, digest);
      // Needs no wait: the pool stores a message that is delivered twice once.
      state.write([toStateEntry(this.#inbox)]).catch(() => undefined);
    }
  }

  async #read(
    ciphertext: Uint8Array,
    opened: Uint8Array,
    repository: Repository,
  ): Promise<InboundMessage | null> {
    const stanza = this.#stanzas.get(ciphertext);
    const { me } = this.#options.state.creds;
    if (stanza === undefined || me === undefined) throw new Error('decrypted a message without a stanza');
    const message = proto.Message.decode(unpadRandomMax16(opened));
    return readInboundMessage(stanza, message, {
      me,
      getNumber: (lid) => repository.lidMapping.getPNForLID(lid),
      warn: this.#options.warn,
    });
  }
}

const digestOf = (ciphertext: Uint8Array): string =>
  createHash('sha256').update(ciphertext).digest().subarray(0, 16).toString('base64');

/** A padded message without content. */
const emptyMessage = (): Uint8Array => writeRandomPadMax16(proto.Message.encode({}).finish());

/** The library's key store accepts unknown kinds, although its type does not allow them. */
const toKeyData = (inbox: Inbox): SignalDataSet =>
  ({ [inboxEntry.kind]: { [inboxEntry.id]: inbox } }) as object;
