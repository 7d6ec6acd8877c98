import type { Envelope } from './signal-party.ts';

export type JournalEntry =
  | { type: 'login'; device: string; version: string }
  | { type: 'paired'; device: string; name: string }
  | { type: 'login_refused'; device: string; reason: string }
  /** `at` is in milliseconds since the start. `envelope` is `pkmsg` if the message begins an encryption session. */
  | {
      type: 'sent';
      at: number;
      device: string;
      contact: string;
      id: string;
      text: string;
      envelope: Envelope['type'];
    }
  | { type: 'delivered'; device: string; id: string }
  | { type: 'read'; device: string; id: string }
  /** The device confirmed a receipt of its contact. */
  | { type: 'receipt_confirmed'; device: string; id: string; state: string }
  /** The device could not decrypt the message and asks for it again. Not a delivery. */
  | { type: 'retry'; device: string; id: string }
  /** The contact could not decrypt the device's message and asks for it again. */
  | { type: 'undecryptable'; device: string; contact: string; id: string }
  | { type: 'refused'; device: string; contact: string; id: string; error: string }
  | { type: 'phone_request'; device: string; id: string }
  | { type: 'upload_request'; device: string; id: string }
  | { type: 'look_up'; device: string; numbers: string[] }
  | { type: 'pre_keys'; device: string; count: number }
  | { type: 'privacy_token'; device: string; contact: string }
  | { type: 'presence'; device: string; state: string }
  | { type: 'nack'; device: string; id: string; error: string };

/** A message as the contact received it. */
export interface ReceivedMessage {
  id: string;
  kind: string;
  text: string | null;
  bytes: number | null;
  timer?: number;
}

export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly #chats = new Map<string, Map<string, ReceivedMessage>>();

  add(entry: JournalEntry): void {
    this.entries.push(entry);
  }

  /** Records a message at the contact. Ignores further copies. */
  received(contact: string, device: string, message: ReceivedMessage): void {
    const chat = this.#chat(contact, device);
    if (!chat.has(message.id)) chat.set(message.id, message);
  }

  chat(contact: string, device: string): ReceivedMessage[] {
    return [...this.#chat(contact, device).values()];
  }

  #chat(contact: string, device: string): Map<string, ReceivedMessage> {
    const key = `${contact} ${device}`;
    const chat = this.#chats.get(key) ?? new Map<string, ReceivedMessage>();
    this.#chats.set(key, chat);
    return chat;
  }
}
