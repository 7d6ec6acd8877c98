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
  /** Rejects when the message could not be kept; the session is cut by then. */
  deliver(message: InboundMessage): Promise<void>;
  warn(why: string): void;
}

/**
 * Takes messages where the library opens them, before it confirms them. The keys that have moved on and the opened
 * message are stored in one write; the message is handed over; only then does the library confirm it. Whatever is cut
 * off in between, the network brings the message again. Before that write it is opened again; after it, it cannot be
 * opened but is known by its digest, and is confirmed once the stored one is handed over.
 */
export class MessageReceiver {
  readonly #options: MessageReceiverOptions;
  /** The stanza of each sealed message, which the library does not pass on to where it is opened. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  #inbox: Inbox;
  /** What the session before has left. */
  readonly #left: Promise<void>;

  private constructor(options: MessageReceiverOptions, inbox: Inbox) {
    this.#options = options;
    this.#inbox = inbox;
    this.#left = this.#handOverWaiting();
    // Whoever opens the next message hears of it; the session is cut in any case.
    this.#left.catch(() => undefined);
  }

  /** Hands over what was opened and not kept, when the session comes up. */
  static async start(options: MessageReceiverOptions): Promise<MessageReceiver> {
    return new MessageReceiver(options, parseInbox(await options.state.read(inboxEntry.kind, inboxEntry.id)));
  }

  /** A stanza that came in; what it seals is opened later. */
  expect(stanza: BinaryNode): void {
    for (const { tag, content } of getAllBinaryNodeChildren(stanza)) {
      if (tag === 'enc' && content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /** In place of the library's own opening of a message from one device to another. The library opens one at a time. */
  async open(
    sealed: Sealed,
    { keys, repository }: { keys: SignalKeyStoreWithTransaction; repository: Repository },
  ): Promise<Uint8Array> {
    await this.#left;
    const digest = digestOf(sealed.ciphertext);
    if (this.#inbox.digests.includes(digest)) return nothing();
    const opening = () =>
      keys.transaction(async () => {
        const opened = await repository.decryptMessage(sealed);
        const message = await this.#read(sealed.ciphertext, opened, repository);
        const inbox = message === null ? this.#inbox : addDecrypted(this.#inbox, { digest, message });
        if (message !== null) await keys.set(keysBeside(inbox));
        return { opened, inbox };
      }, sealed.jid);
    const { opened, inbox } = await this.#options.runExclusive(opening);
    this.#inbox = inbox;
    await this.#handOverWaiting();
    return opened;
  }

  async #handOverWaiting(): Promise<void> {
    const { deliver: handOver, state } = this.#options;
    for (const { digest, message } of this.#inbox.waiting) {
      await handOver(message);
      this.#inbox = removeDelivered(this.#inbox, digest);
      // Nobody waits for it: a message that is handed over twice is kept once.
      state.write([toStateEntry(this.#inbox)]).catch(() => undefined);
    }
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
    return readInboundMessage(stanza, message, {
      me,
      getNumber: (lid) => repository.lidMapping.getPNForLID(lid),
      warn: this.#options.warn,
    });
  }
}

const digestOf = (ciphertext: Uint8Array): string =>
  createHash('sha256').update(ciphertext).digest().subarray(0, 16).toString('base64');

/** A message without content, as the library unwraps it. */
const nothing = (): Uint8Array => writeRandomPadMax16(proto.Message.encode({}).finish());

/** The library's keys take kinds that it does not know itself, though their type does not say so. */
const keysBeside = (inbox: Inbox): SignalDataSet =>
  ({ [inboxEntry.kind]: { [inboxEntry.id]: inbox } }) as object;
