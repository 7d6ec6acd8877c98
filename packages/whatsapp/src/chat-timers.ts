import { type proto, proto as protobuf } from 'baileys';
import type { StateEntry, StoredState } from './stored-state.ts';

const kind = 'inbox';
const { EPHEMERAL_SETTING } = protobuf.Message.ProtocolMessage.Type;
const maxKnown = 10_000;

/** After how many seconds the messages of each chat disappear. Answers must say the same, or the chat shows a warning. */
export class ChatTimers {
  readonly #state: Pick<StoredState, 'read'>;
  /** By contact. 0: they stay. */
  readonly #known = new Map<string, number>();

  constructor(state: Pick<StoredState, 'read'>) {
    this.#state = state;
  }

  /** Reads the timer of a message in the chat. Returns what to store, or null. */
  note(contact: string, message: proto.IMessage): StateEntry | null {
    const set = readSetting(message);
    const seconds = set ?? readExpiration(message);
    const known = this.#known.get(contact);
    // Without a setting, a chat that was not read yet keeps its stored timer.
    if (seconds === null || (set === null && seconds === (known ?? 0))) return null;
    this.#remember(contact, seconds);
    return { kind, id: entryId(contact), value: seconds === 0 ? null : seconds };
  }

  async find(contact: string): Promise<number> {
    const known = this.#known.get(contact);
    if (known !== undefined) return known;
    const stored = await this.#state.read(kind, entryId(contact));
    const seconds = this.#known.get(contact) ?? (typeof stored === 'number' ? stored : 0);
    this.#remember(contact, seconds);
    return seconds;
  }

  #remember(contact: string, seconds: number): void {
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(contact, seconds);
  }
}

const entryId = (contact: string): string => `timer:${contact}`;

const withoutEnvelope = (message: proto.IMessage): proto.IMessage => {
  const { deviceSentMessage, ephemeralMessage } = message;
  const inner = deviceSentMessage?.message ?? ephemeralMessage?.message;
  return inner ? withoutEnvelope(inner) : message;
};

/** True for a message without content that sets the timer of its chat. */
export const setsTimer = (message: proto.IMessage): boolean => readSetting(message) !== null;

/** Returns null for messages that do not change the timer. */
function readSetting(message: proto.IMessage): number | null {
  const { protocolMessage } = withoutEnvelope(message);
  return protocolMessage?.type === EPHEMERAL_SETTING ? (protocolMessage.ephemeralExpiration ?? 0) : null;
}

/** Returns null for messages without a timer of their own, such as reactions. */
function readExpiration(message: proto.IMessage): number | null {
  const inner = withoutEnvelope(message);
  if (inner.conversation) return 0;
  const part = inner.extendedTextMessage ?? inner.imageMessage ?? inner.videoMessage ?? inner.audioMessage;
  const other = part ?? inner.documentMessage ?? inner.stickerMessage;
  return other ? (other.contextInfo?.expiration ?? 0) : null;
}

/** Adds the timer to a message that the device sends. */
export function withTimer(message: proto.IMessage, seconds: number): proto.IMessage {
  if (seconds === 0) return message;
  const inner = message.documentWithCaptionMessage?.message ?? message;
  const { extendedTextMessage, imageMessage, audioMessage, documentMessage } = inner;
  for (const part of [extendedTextMessage, imageMessage, audioMessage, documentMessage])
    if (part) part.contextInfo = { ...part.contextInfo, expiration: seconds };
  return message;
}
