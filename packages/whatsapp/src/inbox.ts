import type { InboundMessage } from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import type { StateEntry } from './stored-state.ts';

export const inboxEntry = { kind: 'inbox', id: 'recent' } as const;

/** More than the number of messages that can be unconfirmed at once. */
const remembered = 128;

/** A decrypted message that the pool has not stored yet. `digest` is that of its ciphertext. */
interface Waiting {
  digest: string;
  message: InboundMessage;
}

/** The last decrypted messages. Immutable. */
export interface Inbox {
  /** Oldest first. */
  readonly digests: readonly string[];
  readonly waiting: readonly Waiting[];
}

/** `stored`: as `entryOf` gave it to the store; undefined in the beginning. */
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

export const addDecrypted = ({ digests, waiting }: Inbox, opened: Waiting): Inbox => ({
  digests: [...digests, opened.digest].slice(-remembered),
  waiting: [...waiting, opened],
});

/** Keeps the digest, so that a redelivered message is recognized. */
export const removeDelivered = (inbox: Inbox, digest: string): Inbox => ({
  ...inbox,
  waiting: inbox.waiting.filter((each) => each.digest !== digest),
});
