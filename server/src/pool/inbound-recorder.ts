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

export interface InboundRecorder {
  /** Returns the conversation that is due for an answer, or null. Throws `NotOwner` when another pool owns the device. */
  record(owner: Ownership, message: InboundMessage): Promise<string | null>;
}

interface OwnedMessage {
  owner: Ownership;
  message: InboundMessage;
}

const waitMs = 1;
const maxItems = 100;

/** Batches text messages in a statement that skips locked rows, so that no device waits for another one. */
export function createInboundRecorder({
  db,
  logger,
}: {
  db: Database;
  logger: Pick<Logger, 'warn' | 'error'>;
}): InboundRecorder {
  const recordTextMessage = createIsolatingBatch<OwnedMessage, RecordedText>({
    waitMs,
    maxItems,
    runBatch: (messages) => recordBatch(db, messages),
    runOne: (message) => recordText(db, message),
    logger,
    failure: 'a batch of inbound messages could not be stored',
  });
  const store = async (owner: Ownership, message: InboundMessage): Promise<string | null> => {
    if (!isContactText(message)) return recordInTransaction(db, owner, message);
    const { conversationId } = await recordTextMessage({ owner, message });
    return conversationId;
  };
  return {
    async record(owner, received) {
      const message = toStorableMessage(received);
      try {
        return await store(owner, message);
      } catch (error) {
        const rejection = readDataRejection(error);
        if (rejection === null) throw error;
        // Otherwise the network would redeliver the message forever and block later ones.
        const { networkId } = message;
        logger.error(
          { ...owner, networkId, ...rejection },
          'the database rejected a message; it is stored without its content',
        );
        return store(owner, withoutContent(message));
      }
    },
  };
}

/** Returns null for each message that must be stored individually. */
const recordBatch = (db: Database, messages: readonly OwnedMessage[]): Promise<(RecordedText | null)[]> =>
  recordContactTexts(
    db,
    messages.map(({ owner: { deviceId }, message }) => ({ deviceId, message })),
    lockOwnedOrSkip(messages.map(({ owner }) => owner)),
  );

async function recordText(db: Database, { owner, message }: OwnedMessage): Promise<RecordedText> {
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
