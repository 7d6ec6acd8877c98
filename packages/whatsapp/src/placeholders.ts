import { type BinaryNode, getBinaryNodeChild, isLidUser, isPnUser, proto, type WASocket } from 'baileys';
import type { EncryptionLock } from './encryption-lock.ts';
import type { StateEntry, StoredState } from './stored-state.ts';

/** The stanza of a message that only the phone can decrypt. */
export type Placeholder = BinaryNode['attrs'];

const placeholdersEntry = { kind: 'inbox', id: 'placeholders' } as const;

const maxPlaceholders = 200;
/** The phone keeps messages for its devices this long. */
const maxAgeMs = 14 * 86_400_000;
/** A contact's second copy, or the phone's first answer, often arrives within this time. */
const requestDelayMs = 1000;
/** Only the phone may show these. */
const shownOnPhoneOnly: ReadonlySet<string | undefined> = new Set([
  'bot_unavailable_fanout',
  'hosted_unavailable_fanout',
  'view_once_unavailable_fanout',
  'view_once',
]);

/**
 * Requests from the phone the messages that this device cannot decrypt, such as the first one after an advertisement. Keeps
 * the list in the session state, because the network sends a placeholder once.
 */
export class Placeholders {
  readonly #state: StoredState;
  #waiting: ReadonlyMap<string, Placeholder>;
  readonly #warn: (why: string) => void;
  #socket: WASocket | null = null;
  #lock: EncryptionLock | null = null;
  #timer: NodeJS.Timeout | undefined;

  private constructor(state: StoredState, waiting: readonly Placeholder[], warn: (why: string) => void) {
    this.#state = state;
    this.#warn = warn;
    this.#waiting = new Map(waiting.map((each) => [each['id'] ?? '', each]));
  }

  static async open(state: StoredState, warn: (why: string) => void): Promise<Placeholders> {
    // Only `toStateEntry` writes this entry.
    const stored = (await state.read(placeholdersEntry.kind, placeholdersEntry.id)) as
      | Placeholder[]
      | undefined;
    return new Placeholders(state, stored ?? [], warn);
  }

  /** Returns a promise for a placeholder. The library must not confirm it before the promise resolves. */
  register(stanza: BinaryNode): Promise<void> | undefined {
    const { from } = stanza.attrs;
    const unavailable = getBinaryNodeChild(stanza, 'unavailable');
    if (unavailable === undefined || getBinaryNodeChild(stanza, 'enc') !== undefined) return undefined;
    if (!(isPnUser(from) || isLidUser(from)) || shownOnPhoneOnly.has(unavailable.attrs['type']))
      return undefined;
    return this.add(stanza.attrs);
  }

  async add(placeholder: Placeholder): Promise<void> {
    const { id = '' } = placeholder;
    if (this.#waiting.has(id)) return;
    const kept = [...this.#waiting.values(), placeholder].filter(isRecent).slice(-maxPlaceholders);
    this.#waiting = new Map(kept.map((each) => [each['id'] ?? '', each]));
    await this.#state.write([this.toStateEntry()]);
    this.#requestSoon();
  }

  find(id: string): Placeholder | undefined {
    return this.#waiting.get(id);
  }

  /** Returns false if none of the messages was awaited. The caller stores `toStateEntry`. */
  remove(ids: readonly string[]): boolean {
    const kept = [...this.#waiting].filter(([id]) => !ids.includes(id));
    const changed = kept.length < this.#waiting.size;
    this.#waiting = new Map(kept);
    return changed;
  }

  toStateEntry(): StateEntry {
    return { ...placeholdersEntry, value: [...this.#waiting.values()] };
  }

  /** Requests all messages again, because an earlier process may have ended before the phone answered. */
  start(socket: WASocket, lock: EncryptionLock): void {
    this.#socket = socket;
    this.#lock = lock;
    if (this.#waiting.size > 0) this.#requestSoon();
  }

  stop(): void {
    this.#socket = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #requestSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The next connection requests them again.
      this.#request().catch((error: unknown) => this.#warn(`the phone could not be asked: ${String(error)}`));
    }, requestDelayMs);
  }

  async #request(): Promise<void> {
    const [socket, lock] = [this.#socket, this.#lock];
    if (socket === null || lock === null || this.#waiting.size === 0) return;
    const placeholderMessageResendRequest = [...this.#waiting.values()].map(({ id, from }) => ({
      messageKey: { id: id ?? null, remoteJid: from ?? null, fromMe: false },
    }));
    await lock.run('send', () =>
      socket.sendPeerDataOperationMessage({
        placeholderMessageResendRequest,
        peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
      }),
    );
  }
}

/** The network does not send pictures that may be viewed once to linked devices. */
export const isViewOnce = (stanza: BinaryNode): boolean =>
  /^view_once/.test(getBinaryNodeChild(stanza, 'unavailable')?.attrs['type'] ?? '') &&
  getBinaryNodeChild(stanza, 'enc') === undefined;

const isRecent = ({ t }: Placeholder): boolean => Number(t) * 1000 > Date.now() - maxAgeMs;

/** The messages that the phone sent in answer to requests. Pass only messages of the own account. */
export function readPhoneAnswers(message: proto.IMessage): proto.WebMessageInfo[] {
  const answer = message.protocolMessage?.peerDataOperationRequestResponseMessage;
  return (answer?.peerDataOperationResult ?? []).flatMap(({ placeholderMessageResendResponse: resent }) =>
    resent?.webMessageInfoBytes ? [proto.WebMessageInfo.decode(resent.webMessageInfoBytes)] : [],
  );
}
