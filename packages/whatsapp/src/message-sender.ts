import { setTimeout as delay } from 'node:timers/promises';
import {
  type MessageContent,
  type OutboundMessage,
  SendOutcomeUnknown,
  SendRefused,
} from '@parley/server/messaging-network';
import { type BinaryNode, isLidUser, type SignalKeyStore, type WASocket } from 'baileys';
import { type ChatTimers, withTimer } from './chat-timers.ts';
import type { ContactCache } from './contact-cache.ts';
import type { EncryptionLock } from './encryption-lock.ts';
import type { NewChats } from './new-chats.ts';
import { toProtobuf } from './outbound-content.ts';

/** The account may not start new chats now. */
const newChatErrors: ReadonlySet<string> = new Set(['463']);

class ChatRefused extends Error {
  override readonly name = 'ChatRefused';
}

/** Time for the token of a contact. */
const maxTokenMs = 5000;
const tokenPollMs = 50;

export interface MessageSenderOptions {
  socket: WASocket;
  keys: SignalKeyStore;
  lock: EncryptionLock;
  contacts: ContactCache;
  timers: ChatTimers;
  newChats: NewChats;
  /** Whether contacts see that the device is typing before it sends. */
  showsTyping: boolean;
  /** The network refused a message after its send was aborted. */
  refusedLate(networkId: string): void;
}

/** Roughly a fast writer. */
const typingMsPerCharacter = 30;
const maxTypingMs = 3000;

export class MessageSender {
  readonly #socket: WASocket;
  readonly #keys: SignalKeyStore;
  readonly #lock: EncryptionLock;
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  readonly #contacts: ContactCache;
  readonly #newChats: NewChats;
  readonly #timers: ChatTimers;
  readonly #showsTyping: boolean;
  readonly #refusedLate: MessageSenderOptions['refusedLate'];
  /** Messages whose send was aborted, and which the network may still acknowledge or refuse. */
  readonly #overdue = new Set<string>();

  constructor(options: MessageSenderOptions) {
    const { socket, keys, lock, contacts, newChats, timers, showsTyping, refusedLate } = options;
    this.#timers = timers;
    this.#showsTyping = showsTyping;
    this.#refusedLate = refusedLate;
    this.#socket = socket;
    this.#keys = keys;
    this.#contacts = contacts;
    this.#newChats = newChats;
    this.#lock = lock;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<void> {
    const { to } = message;
    const isNew = message.toKnownContact !== true && !this.#newChats.hasWritten(to);
    const send = () => this.#sendWithToken(message, signal, isNew);
    return isNew ? this.#newChats.start(send) : send();
  }

  /** The network may refuse a message because it lacks the contact's token. Then the message goes once more, with the token. */
  async #sendWithToken(message: OutboundMessage, signal: AbortSignal, isNew: boolean): Promise<void> {
    try {
      await this.#send(message, signal);
    } catch (error) {
      if (!(error instanceof ChatRefused)) throw error;
      if (await this.#newChats.restrict()) throw new SendRefused('device_restricted');
      const hasToken = await this.#waitForToken(message.to, signal);
      if (!hasToken && isNew) {
        await this.#newChats.assumeRestriction();
        throw new SendRefused('device_restricted');
      }
      await this.#send(message, signal).catch((again: unknown) => {
        throw again instanceof ChatRefused ? new SendRefused('network_refused') : again;
      });
    }
  }

  async #hasToken(contact: string): Promise<boolean> {
    const address = await this.#contacts.findAddress(contact);
    if (address === null) return false;
    const id = await toTokenId(address, this.#socket);
    const { [id]: known } = await this.#keys.get('tctoken', [id]);
    return known !== undefined && known.token.length > 0;
  }

  /** The library requests the token when it reads the refusal. Returns false if none arrives. */
  async #waitForToken(contact: string, signal: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + maxTokenMs;
    while (performance.now() < deadline && !signal.aborted) {
      if (await this.#hasToken(contact)) return true;
      await delay(tokenPollMs);
    }
    return false;
  }

  async #send({ networkId, to, content }: OutboundMessage, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new SendOutcomeUnknown(signal.reason);
    const answer = Promise.withResolvers<void>();
    const abort = () => {
      this.#overdue.add(networkId);
      answer.reject(new SendOutcomeUnknown(signal.reason));
    };
    this.#overdue.delete(networkId);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.set(networkId, answer);
    const relayed = this.#relay(to, content, networkId);
    relayed.catch((error: unknown) =>
      answer.reject(
        error instanceof SendRefused || error instanceof ChatRefused ? error : new SendOutcomeUnknown(error),
      ),
    );
    try {
      await answer.promise;
      // A failed write ends the session.
      relayed.then((address) => notePrivacyToken(address, this.#keys, this.#socket)).catch(() => undefined);
    } finally {
      signal.removeEventListener('abort', abort);
      if (this.#waiting.get(networkId) === answer) this.#waiting.delete(networkId);
    }
  }

  acknowledged({ attrs }: BinaryNode): void {
    const id = attrs['id'] ?? '';
    const waiting = this.#waiting.get(id);
    const isOverdue = this.#overdue.delete(id);
    if (isOverdue && attrs['error'] !== undefined) this.#refusedLate(id);
    if (attrs['error'] === undefined) waiting?.resolve();
    else if (newChatErrors.has(attrs['error'])) waiting?.reject(new ChatRefused());
    else waiting?.reject(new SendRefused('network_refused'));
  }

  end(reason: string): void {
    for (const answer of this.#waiting.values()) answer.reject(new SendOutcomeUnknown(reason));
  }

  /** Returns the address of the contact. */
  async #relay(contact: string, content: MessageContent, messageId: string): Promise<string> {
    const address = (await this.#contacts.findAddress(contact)) ?? (await this.#lookUp(contact));
    if (this.#showsTyping && content.kind === 'text') await this.#type(address, content.text);
    // Uploads before it takes the lock.
    const message = withTimer(await toProtobuf(content, this.#socket), await this.#timers.find(contact));
    await this.#lock.run('send', () => this.#socket.relayMessage(address, message, { messageId }));
    return address;
  }

  async #type(address: string, text: string): Promise<void> {
    await this.#socket.sendPresenceUpdate('composing', address);
    await delay(Math.min(maxTypingMs, text.length * typingMsPerCharacter));
    await this.#socket.sendPresenceUpdate('paused', address);
  }

  /** The digits of the address may differ from the number. */
  async #lookUp(number: string): Promise<string> {
    const found = await this.#socket.onWhatsApp(number);
    if (found === undefined) throw new Error('the network did not report whether the number has an account');
    const account = found.find(({ exists }) => exists === true);
    if (account === undefined) throw new SendRefused('recipient_unknown');
    await this.#contacts.identify({ number, addresses: [account.jid] });
    return account.jid;
  }
}

/** The library keeps a token under the contact's LID, if it is known. */
async function toTokenId(
  address: string,
  { signalRepository }: Pick<WASocket, 'signalRepository'>,
): Promise<string> {
  if (isLidUser(address) === true) return address;
  return (await signalRepository.lidMapping.getLIDForPN(address)) ?? address;
}

/** The library sends a contact a new token in each week of the Unix epoch. */
const weekSeconds = 7 * 24 * 60 * 60;

/**
 * Notes that the contact has this week's privacy token, which the library sends after a message. Its own note is lost, because it
 * writes it to the key transaction of the message, which has ended. Without a note, it would send a token after every message.
 */
async function notePrivacyToken(
  address: string,
  keys: SignalKeyStore,
  { signalRepository }: Pick<WASocket, 'signalRepository'>,
): Promise<void> {
  const id = await toTokenId(address, { signalRepository });
  const { [id]: known } = await keys.get('tctoken', [id]);
  const now = Math.floor(Date.now() / 1000);
  const notedAt = known?.senderTimestamp ?? 0;
  if (Math.floor(notedAt / weekSeconds) >= Math.floor(now / weekSeconds)) return;
  await keys.set({ tctoken: { [id]: { token: Buffer.alloc(0), ...known, senderTimestamp: now } } });
}
