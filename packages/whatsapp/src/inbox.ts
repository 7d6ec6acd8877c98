import type { ReceivedMessage } from './inbound-message.ts';
import type { StateEntry } from './stored-state.ts';

export const inboxEntry = { kind: 'inbox', id: 'recent' } as const;

/** Messages are decrypted in the order of the network, so only the newest ones can be redelivered. */
const maxDigests = 128;

/** A decrypted message that the pool has not stored yet. `digest` identifies it. */
export interface UndeliveredMessage {
  digest: string;
  message: ReceivedMessage;
}

export interface Inbox {
  /** Oldest first. */
  readonly digests: readonly string[];
  readonly waiting: readonly UndeliveredMessage[];
}

export function parseInbox(stored: unknown): Inbox {
  if (stored === undefined) return { digests: [], waiting: [] };
  // Only `toStateEntry` writes this entry. JSON turns dates into strings.
  const { digests, waiting } = stored as Inbox;
  return {
    digests,
    waiting: waiting.map(({ digest, message }) => ({
      digest,
      message: { ...message, sentAt: new Date(message.sentAt) },
    })),
  };
}

export const toStateEntry = (inbox: Inbox): StateEntry => ({ ...inboxEntry, value: inbox });

/** `digest` is that of the ciphertext, which may have contained several messages. */
export const addDecrypted = (
  { digests, waiting }: Inbox,
  digest: string,
  messages: readonly ReceivedMessage[],
): Inbox => ({
  digests: [...digests, digest].slice(-maxDigests),
  waiting: [...waiting, ...messages.map((message, index) => ({ digest: `${digest}:${index}`, message }))],
});

export const isFrom = ({ digest }: UndeliveredMessage, ciphertext: string): boolean =>
  digest.startsWith(`${ciphertext}:`);

/** Keeps the digest, so that a redelivered message is recognized. */
export const removeDelivered = (inbox: Inbox, digest: string): Inbox => ({
  ...inbox,
  waiting: inbox.waiting.filter((each) => each.digest !== digest),
});
