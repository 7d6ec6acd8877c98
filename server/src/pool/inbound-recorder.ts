import { type InboundMessage, NotOwner } from '../adapters/messaging-network/messaging-network.ts';
import {
  isContactText,
  type RecordedText,
  recordContactText,
  recordContactTexts,
  recordInbound,
} from '../conversations/inbound.ts';
import { toStorableMessage, withoutContent } from '../conversations/storable-message.ts';
import type { Database } from '../database/database.ts';
import { readDataRejection } from '../database/refused-data.ts';
import { lockIfOwned, lockOwned, lockOwnedOrSkip, type Ownership } from '../devices/session-state.sql.ts';
import { createIsolatingBatch } from '../shared/isolating-batch.ts';
import type { Logger } from '../shared/logger.ts';

/** Keeps what the network brings to the devices of a pool. */
export interface InboundRecorder {
  /**
   * Answers the conversation that is due to be answered by the message, if any. What the database cannot take of it is
   * left out. Throws `NotOwner` when the device is another's: who owns it now gets the message again.
   */
  record(owner: Ownership, message: InboundMessage): Promise<string | null>;
}

interface Plain {
  owner: Ownership;
  message: InboundMessage;
}

/** Messages that come together are kept by one statement. */
const waitMs = 1;
const maxItems = 100;

/**
 * Text messages of different devices share a statement that waits for nobody's device or conversation, for what somebody
 * else is just inserting only briefly, and is done as a whole or not at all; what is in its way is then kept on its own, so
 * that no device waits for another's.
 */
export function createInboundRecorder({
  db,
  logger,
}: {
  db: Database;
  logger: Pick<Logger, 'warn' | 'error'>;
}): InboundRecorder {
  const recordOne = createIsolatingBatch<Plain, RecordedText>({
    waitMs,
    maxItems,
    runBatch: (plain) => recordTogether(db, plain),
    runOne: (plain) => recordAlone(db, plain),
    logger,
    failure: 'messages could not be kept together',
  });
  const keep = async (owner: Ownership, message: InboundMessage): Promise<string | null> => {
    if (!isContactText(message)) return recordInTransaction(db, owner, message);
    const { conversationId } = await recordOne({ owner, message });
    return conversationId;
  };
  return {
    async record(owner, brought) {
      const message = toStorableMessage(brought);
      try {
        return await keep(owner, message);
      } catch (error) {
        const refusal = readDataRejection(error);
        if (refusal === null) throw error;
        // The network would bring it again for ever, and with it nothing after it.
        const { networkId } = message;
        logger.error(
          { ...owner, networkId, ...refusal },
          'a message that the database refuses is kept without its content',
        );
        return keep(owner, withoutContent(message));
      }
    },
  };
}

/** Null where a message is to be kept on its own. */
const recordTogether = (db: Database, plain: readonly Plain[]): Promise<(RecordedText | null)[]> =>
  recordContactTexts(
    db,
    plain.map(({ owner: { deviceId }, message }) => ({ deviceId, message })),
    lockOwnedOrSkip(plain.map(({ owner }) => owner)),
  );

async function recordAlone(db: Database, { owner, message }: Plain): Promise<RecordedText> {
  const { deviceId } = owner;
  const recorded = await recordContactText(db, { deviceId, message }, lockOwned(owner));
  if (recorded === null) throw new NotOwner(deviceId);
  return recorded;
}

const recordInTransaction = (
  db: Database,
  owner: Ownership,
  message: InboundMessage,
): Promise<string | null> =>
  db.transaction().execute(async (tx) => {
    if (!(await lockIfOwned(tx, owner))) throw new NotOwner(owner.deviceId);
    return recordInbound(tx, owner, message);
  });
