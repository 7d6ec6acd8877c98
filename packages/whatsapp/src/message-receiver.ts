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
type EncryptedMessage = Parameters<Repository['decryptMessage']>[0];

export interface MessageReceiverOptions {
  state: StoredState;
  runExclusive: RunExclusive;
  deliver(message: InboundMessage): Promise<void>;
  warn(why: string): void;
}

/**
 * Delivers messages before the library confirms them. One write stores the message and the advanced keys, because keys
 * decrypt a message only once. A redelivered message has a known digest, and its stored copy is delivered instead.
 */
export class MessageReceiver {
  readonly #options: MessageReceiverOptions;
  /** The stanza of each ciphertext, which the library does not pass to the decryption. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  #inbox: Inbox;
  readonly #recovery: Promise<void>;

  private constructor(options: MessageReceiverOptions, inbox: Inbox) {
    this.#options = options;
    this.#inbox = inbox;
    this.#recovery = this.#deliverWaiting();
    // The next decryption rejects. The session is closed in any case.
    this.#recovery.catch(() => undefined);
  }

  /** Delivers the messages that were decrypted but not stored by the pool. */
  static async start(options: MessageReceiverOptions): Promise<MessageReceiver> {
    return new MessageReceiver(options, parseInbox(await options.state.read(inboxEntry.kind, inboxEntry.id)));
  }

  registerStanza(stanza: BinaryNode): void {
    for (const { tag, content } of getAllBinaryNodeChildren(stanza)) {
      if (tag === 'enc' && content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /** Replaces the library's decryption, which it calls for one message at a time. */
  async decrypt(
    encrypted: EncryptedMessage,
    { keys, repository }: { keys: SignalKeyStoreWithTransaction; repository: Repository },
  ): Promise<Uint8Array> {
    await this.#recovery;
    const digest = computeDigest(encrypted.ciphertext);
    if (this.#inbox.digests.includes(digest)) return emptyMessage();
    const decryptAndStore = () =>
      keys.transaction(async () => {
        const plaintext = await repository.decryptMessage(encrypted);
        const message = await this.#read(encrypted.ciphertext, plaintext, repository);
        const inbox = message === null ? this.#inbox : addDecrypted(this.#inbox, { digest, message });
        if (message !== null) await keys.set(toKeyData(inbox));
        return { plaintext, inbox };
      }, encrypted.jid);
    const { plaintext, inbox } = await this.#options.runExclusive(decryptAndStore);
    this.#inbox = inbox;
    await this.#deliverWaiting();
    return plaintext;
  }

  async #deliverWaiting(): Promise<void> {
    const { deliver, state } = this.#options;
    for (const { digest, message } of this.#inbox.waiting) {
      await deliver(message);
      this.#inbox = removeDelivered(this.#inbox, digest);
      // No need to wait: the pool stores a repeated message once.
      state.write([toStateEntry(this.#inbox)]).catch(() => undefined);
    }
  }

  async #read(
    ciphertext: Uint8Array,
    plaintext: Uint8Array,
    repository: Repository,
  ): Promise<InboundMessage | null> {
    const stanza = this.#stanzas.get(ciphertext);
    const { me } = this.#options.state.creds;
    if (stanza === undefined || me === undefined) throw new Error('decrypted a message without a stanza');
    const message = proto.Message.decode(unpadRandomMax16(plaintext));
    return readInboundMessage(stanza, message, {
      me,
      getNumber: (lid) => repository.lidMapping.getPNForLID(lid),
      warn: this.#options.warn,
    });
  }
}

const computeDigest = (ciphertext: Uint8Array): string =>
  createHash('sha256').update(ciphertext).digest().subarray(0, 16).toString('base64');

const emptyMessage = (): Uint8Array => writeRandomPadMax16(proto.Message.encode({}).finish());

/** The library's key store accepts unknown kinds, although its type does not allow them. */
const toKeyData = (inbox: Inbox): SignalDataSet =>
  ({ [inboxEntry.kind]: { [inboxEntry.id]: inbox } }) as object;
