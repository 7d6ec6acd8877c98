import type { InboundMessage } from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import type { StateEntry } from './stored-state.ts';

/** Where it lies in the session's store. */
export const inboxEntry = { kind: 'inbox', id: 'recent' } as const;

/** Messages remembered as opened: more than can be on their way back to the network unconfirmed. */
const remembered = 128;

/** An opened message, by the digest of how it came sealed, until the pool has kept it. */
interface Waiting {
  digest: string;
  message: InboundMessage;
}

/** What was opened last, and of it what the pool has not kept yet. Immutable. */
export interface Inbox {
  /** The oldest first. */
  readonly digests: readonly string[];
  readonly waiting: readonly Waiting[];
}

/** `stored`: as `entryOf` gave it to the store; undefined in the beginning. */
export function parseInbox(stored: unknown): Inbox {
  if (stored === undefined) return { digests: [], waiting: [] };
  // Nobody else writes this entry. JSON has made texts of the times.
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

/** Without a message that the pool has kept. It is still known as opened. */
export const removeDelivered = (inbox: Inbox, digest: string): Inbox => ({
  ...inbox,
  waiting: inbox.waiting.filter((each) => each.digest !== digest),
});
