import type { InboundMessage } from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import type { StateEntry } from './stored-state.ts';

export const inboxEntry = { kind: 'inbox', id: 'recent' } as const;

/** Exceeds the number of messages that can be unconfirmed at once. */
const maxDigests = 128;

/** A decrypted message that the pool has not stored yet. `digest` is that of its ciphertext. */
interface UndeliveredMessage {
  digest: string;
  message: InboundMessage;
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

export const addDecrypted = ({ digests, waiting }: Inbox, added: UndeliveredMessage): Inbox => ({
  digests: [...digests, added.digest].slice(-maxDigests),
  waiting: [...waiting, added],
});

/** Keeps the digest, so that a redelivered message is recognized. */
export const removeDelivered = (inbox: Inbox, digest: string): Inbox => ({
  ...inbox,
  waiting: inbox.waiting.filter((each) => each.digest !== digest),
});
