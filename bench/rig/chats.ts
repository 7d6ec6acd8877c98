import { type Delivered, followJournal } from './network-journal.ts';
import { openPhones } from './network-phone.ts';

/** A contact and the phone number of the device it writes to. */
export interface Chat {
  contact: string;
  phone: string;
}

/** Contacts that ask and wait for their answers. */
export interface Chats {
  /** Resolves with the milliseconds from sending the message until the answer is on the network. */
  ask(chat: Chat, text: string): Promise<number>;
  close(): Promise<void>;
}

const answerTimeoutMs = 120_000;

export async function openChats(network: { url: string; journal: string }): Promise<Chats> {
  const waiting = new Map<string, () => void>();
  const keyOf = ({ contact, phone }: Chat) => `${contact} ${phone}`;
  const following = await followJournal(network.journal, (answer: Delivered) =>
    waiting.get(keyOf(answer))?.(),
  );
  const phones = openPhones(network.url);
  return {
    async ask(chat, text) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error('a question got no answer in time')), answerTimeoutMs);
      waiting.set(keyOf(chat), resolve);
      const asked = performance.now();
      try {
        await phones.write({ from: chat.contact, to: chat.phone, text });
        await promise;
        return performance.now() - asked;
      } finally {
        clearTimeout(timer);
        waiting.delete(keyOf(chat));
      }
    },
    async close() {
      phones.close();
      await following.close();
    },
  };
}
