import { createHash } from 'node:crypto';
import type { ContactDirectory, InboundMessage } from '@parley/server/messaging-network';
import {
  areJidsSameUser,
  type BinaryNode,
  type Contact,
  getAllBinaryNodeChildren,
  proto,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  unpadRandomMax16,
  writeRandomPadMax16,
} from 'baileys';
import { type ChatTimers, setsTimer } from './chat-timers.ts';
import type { OrderReference, ReadContent } from './content-text.ts';
import type { EncryptionLock } from './encryption-lock.ts';
import {
  type InboundContext,
  identifyMessage,
  identifySender,
  type ReceivedMessage,
  readInboundMessage,
} from './inbound-message.ts';
import {
  addDecrypted,
  type Inbox,
  inboxEntry,
  isFrom,
  parseInbox,
  removeDelivered,
  toStateEntry,
  type UndeliveredMessage,
} from './inbox.ts';
import { withoutMedia } from './media-download.ts';
import type { MediaReference } from './media-reference.ts';
import { toSecretEntry } from './message-secrets.ts';
import { type Placeholders, readPhoneAnswers } from './placeholders.ts';
import type { Repository } from './signal-repository.ts';
import type { StateEntry, StoredState } from './stored-state.ts';
import { findUnknownField } from './unknown-content.ts';

type EncryptedMessage = Parameters<Repository['decryptMessage']>[0];

export interface MessageReceiverOptions {
  state: StoredState;
  lock: EncryptionLock;
  deliver(message: InboundMessage): Promise<void>;
  /** Returns the message with its media, or without them. See `MediaDownloads`. */
  fetch(message: InboundMessage, media: MediaReference, receivedAt: number): Promise<InboundMessage>;
  /** Returns the message with the products of its order, or without them. */
  fetchProducts(message: InboundMessage, order: OrderReference): Promise<InboundMessage>;
  placeholders: Placeholders;
  timers: ChatTimers;
  identify: ContactDirectory['identify'];
  /** Returns the contact that the address belongs to now. */
  findContact(address: string): Promise<string>;
}

/** Undelivered messages. More delay the confirmation of all further ones, because each write stores the whole inbox. */
const maxWaiting = 200;

/**
 * Delivers messages before the library confirms them. One write stores the message and the advanced keys, because keys
 * decrypt a message only once. A redelivered message has a known digest, and its stored copy is delivered instead. A download
 * holds its chat only: the library confirms the messages that wait for it as soon as the inbox stores them.
 */
export class MessageReceiver {
  readonly #options: MessageReceiverOptions;
  /** The stanza of each ciphertext, which the library does not pass to the decryption. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  readonly #chats = new ChatQueues();
  #inbox: Inbox;
  readonly #recovery: Promise<void>;

  private constructor(options: MessageReceiverOptions, inbox: Inbox) {
    this.#options = options;
    this.#inbox = inbox;
    this.#recovery = this.#deliver(inbox.waiting);
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

  /**
   * Delivers what the network sends without encryption. Returns when it may be confirmed. The network repeats it otherwise, and the
   * pool stores a repeated message once.
   */
  async receivePlain(
    stanza: BinaryNode,
    read: ReadContent,
    getNumber: InboundContext['getNumber'],
  ): Promise<void> {
    await this.#recovery;
    const { identify, state, deliver } = this.#options;
    const { me } = state.creds;
    const message = me && (await identifyMessage(stanza, read, { me, getNumber, identify }));
    if (!message) return;
    const { address: _, ...received } = message;
    await this.#chats.run(message.contactNumber, () => deliver(received));
  }

  /** Replaces the library's decryption, which it calls for one message at a time. */
  async decrypt(
    encrypted: EncryptedMessage,
    { keys, repository }: { keys: SignalKeyStoreWithTransaction; repository: Repository },
  ): Promise<Uint8Array> {
    await this.#recovery;
    const digest = computeDigest(encrypted.ciphertext);
    if (this.#inbox.digests.includes(digest)) return emptyMessage();
    let undecryptable = false;
    const decryptAndStore = () =>
      keys.transaction(async () => {
        const plaintext = await repository.decryptMessage(encrypted).catch((error: unknown) => {
          undecryptable = true;
          throw error;
        });
        const { messages, more } = await this.#read(encrypted.ciphertext, plaintext, repository);
        // At once, because the write that removes another message may follow before the end of this transaction.
        if (messages.length > 0) this.#inbox = addDecrypted(this.#inbox, digest, messages);
        const entries = messages.length > 0 ? [toStateEntry(this.#inbox), ...more] : more;
        if (entries.length > 0) await keys.set(toKeyData(entries));
        if (this.#options.placeholders.remove(messages.map(({ networkId }) => networkId)))
          await keys.set(toKeyData([this.#options.placeholders.toStateEntry()]));
        return plaintext;
      }, encrypted.jid);
    const plaintext = await this.#options.lock
      .run('receive', decryptAndStore)
      .catch(async (error: unknown) => {
        if (undecryptable) await this.#requestFromPhone(encrypted.ciphertext);
        throw error;
      });
    await this.#deliver(this.#inbox.waiting.filter((each) => isFrom(each, digest)));
    return plaintext;
  }

  /** The library also requests the message from the contact. */
  async #requestFromPhone(ciphertext: Uint8Array): Promise<void> {
    const attrs = this.#stanzas.get(ciphertext)?.attrs;
    if (attrs !== undefined && attrs['recipient'] === undefined && attrs['category'] === undefined)
      await this.#options.placeholders.add(attrs);
  }

  /** Returns when the messages may be confirmed: when they are delivered, or wait for a download and are in the stored inbox. */
  async #deliver(undelivered: readonly UndeliveredMessage[]): Promise<void> {
    const receivedAt = performance.now();
    for (const each of undelivered) {
      const { contactNumber, media, order } = each.message;
      const waits = media !== undefined || order !== undefined || this.#chats.isBusy(contactNumber);
      const delivery = this.#chats.run(contactNumber, () => this.#deliverOne(each, { waits, receivedAt }));
      // A failure closes the session.
      delivery.catch(() => undefined);
      if (!waits || this.#inbox.waiting.length > maxWaiting) await delivery;
    }
  }

  async #deliverOne(
    { digest, message }: UndeliveredMessage,
    { waits, receivedAt }: { waits: boolean; receivedAt: number },
  ): Promise<void> {
    const { deliver, fetch, fetchProducts, findContact, state } = this.#options;
    const { media, order, address, ...received } = message;
    const known = order === undefined ? received : await fetchProducts(received, order);
    const fetched = media === undefined ? known : await fetch(known, media, receivedAt);
    const isLate = waits && address !== undefined;
    await deliver(isLate ? { ...fetched, contactNumber: await findContact(address) } : fetched);
    this.#inbox = removeDelivered(this.#inbox, digest);
    // No need to wait: the pool stores a repeated message once.
    state.write([toStateEntry(this.#inbox)]).catch(() => undefined);
  }

  /** Delivers confirmed messages that wait for downloads without their media, because the stored state will be deleted. */
  async deliverRest(deliver: MessageReceiverOptions['deliver']): Promise<void> {
    for (const { message } of this.#inbox.waiting) {
      const { media, order: _order, address: _address, ...received } = message;
      await deliver(media === undefined ? received : withoutMedia(received, 'unavailable'));
    }
  }

  async #read(
    ciphertext: Uint8Array,
    plaintext: Uint8Array,
    repository: Repository,
  ): Promise<{ messages: ReceivedMessage[]; more: StateEntry[] }> {
    const stanza = this.#stanzas.get(ciphertext);
    const { me } = this.#options.state.creds;
    if (stanza === undefined || me === undefined) throw new Error('decrypted a message without a stanza');
    const encoded = unpadRandomMax16(plaintext);
    const message = proto.Message.decode(encoded);
    const context = {
      me,
      state: this.#options.state,
      unknownField: findUnknownField(encoded, message),
      getNumber: (lid: string) => repository.lidMapping.getPNForLID(lid),
      identify: this.#options.identify,
    };
    const messages: ReceivedMessage[] = [];
    const more: StateEntry[] = [];
    for (const [source, content] of this.#sources(stanza, message, me)) {
      const read = await readInboundMessage(source, content, context);
      const setting = setsTimer(content) ? await identifySender(source, context) : null;
      const contact = read?.contactNumber ?? setting;
      const timer = contact === null ? null : this.#options.timers.note(contact, content);
      if (timer !== null) more.push(timer);
      if (read === null) continue;
      messages.push(read);
      const secret = toSecretEntry(source.attrs['id'] ?? '', content);
      if (secret !== null) more.push(secret);
    }
    return { messages, more };
  }

  /** The phone's answer contains messages of other stanzas. */
  #sources(
    stanza: BinaryNode,
    message: proto.IMessage,
    me: Pick<Contact, 'id' | 'lid'>,
  ): [BinaryNode, proto.IMessage][] {
    const { from } = stanza.attrs;
    const fromOwnAccount = areJidsSameUser(from, me.id) || areJidsSameUser(from, me.lid);
    const answers = fromOwnAccount ? readPhoneAnswers(message) : [];
    if (answers.length === 0) return [[stanza, message]];
    return answers.flatMap(({ key, message: answered }) => {
      const attrs = this.#options.placeholders.find(key?.id ?? '');
      return attrs === undefined || !answered ? [] : [[{ tag: 'message', attrs }, answered]];
    });
  }
}

const computeDigest = (ciphertext: Uint8Array): string =>
  createHash('sha256').update(ciphertext).digest().subarray(0, 16).toString('base64');

const emptyMessage = (): Uint8Array => writeRandomPadMax16(proto.Message.encode({}).finish());

/** The library's key store accepts unknown kinds, although its type does not allow them. */
const toKeyData = (entries: readonly StateEntry[]): SignalDataSet =>
  ({ [inboxEntry.kind]: Object.fromEntries(entries.map(({ id, value }) => [id, value])) }) as object;

/** Runs the tasks of each chat in order. Chats do not wait for each other. */
class ChatQueues {
  readonly #last = new Map<string, Promise<void>>();

  isBusy(chat: string): boolean {
    return this.#last.has(chat);
  }

  /** After a failure, the later tasks of the chat do not run. They reject with the same error. */
  run(chat: string, task: () => Promise<void>): Promise<void> {
    const run = (this.#last.get(chat) ?? Promise.resolve()).then(task);
    this.#last.set(chat, run);
    const forget = () => {
      if (this.#last.get(chat) === run) this.#last.delete(chat);
    };
    run.then(forget, () => undefined);
    return run;
  }
}
