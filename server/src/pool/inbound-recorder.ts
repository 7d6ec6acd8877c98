import {
  isContactText,
  type RecordedText,
  recordContactText,
  recordContactTexts,
  recordInbound,
} from '../chat/conversations/inbound.ts';
import { toStorableMessage, withoutContent } from '../chat/conversations/storable-message.ts';
import type { MediaFiles, StoredBytes } from '../chat/messages/media-files.ts';
import { lockIfOwned, lockOwned, lockOwnedOrSkip, type Ownership } from '../devices/session-state.sql.ts';
import type { Database } from '../platform/database/database.ts';
import { nullIfLocked } from '../platform/database/lock-timeout.ts';
import { readDataRejection } from '../platform/database/refused-data.ts';
import type { KeyedHash } from '../platform/shared/encryption.ts';
import { createGroupedRetries } from '../platform/shared/grouped-retries.ts';
import { createIsolatingBatch } from '../platform/shared/isolating-batch.ts';
import type { Logger } from '../platform/shared/logger.ts';
import { type InboundMessage, NotOwner } from '../ports/messaging-network/messaging-network.ts';
import { createInboundBudget, type InboundRates } from './inbound-budget.ts';

export interface InboundRecorder {
  /** Returns the conversation that is due for an answer, or null. Throws `NotOwner` when another pool owns the device. */
  record(owner: Ownership, message: InboundMessage): Promise<string | null>;
}

interface OwnedMessage {
  owner: Ownership;
  message: InboundMessage;
  /** See `ReceivingDevice`. */
  waitSeconds: number | null;
}

const waitMs = 1;
const maxItems = 100;

/**
 * Takes each message from the rate budget. Batches text messages in a statement that skips locked rows, so that no device
 * waits for another one.
 */
export function createInboundRecorder({
  db,
  keyedHash,
  mediaFiles,
  rates,
  logger,
}: {
  db: Database;
  keyedHash: KeyedHash;
  mediaFiles: MediaFiles;
  rates: InboundRates;
  logger: Pick<Logger, 'warn' | 'error'>;
}): InboundRecorder {
  const budget = createInboundBudget(rates);
  const recordTextMessage = createIsolatingBatch<OwnedMessage, RecordedText>({
    waitMs,
    maxItems,
    runBatch: (messages) => recordBatch(db, messages),
    groupOf: ({ owner }) => owner.teamId,
    runOne: (message) => nullIfLocked(() => recordText(db, message)),
    logger,
    failure: 'a batch of inbound messages could not be stored',
  });
  const retries = createGroupedRetries();
  const storeInTransaction = async (received: OwnedMessage): Promise<string | null> => {
    const { content } = received.message;
    const { teamId } = received.owner;
    const staged = content.kind === 'text' ? null : await mediaFiles.stage(teamId, content.bytes);
    const store = async () => ({
      conversationId: await recordInTransaction({ db, keyedHash }, received, staged),
    });
    const { conversationId } = await retries.run(teamId, () => nullIfLocked(store));
    return conversationId;
  };
  const store = async (received: OwnedMessage): Promise<string | null> => {
    if (!isContactText(received.message)) return storeInTransaction(received);
    const { conversationId } = await recordTextMessage(received);
    return conversationId;
  };
  return {
    async record(owner, received) {
      const message = toStorableMessage(received);
      const waitSeconds = message.fromMe ? 0 : budget.take(owner.deviceId, message.contactNumber);
      try {
        return await store({ owner, message, waitSeconds });
      } catch (error) {
        const rejection = readDataRejection(error);
        if (rejection === null) throw error;
        // Otherwise the network would redeliver the message forever and block later ones.
        const { networkId } = message;
        logger.error(
          { ...owner, networkId, ...rejection },
          'the database rejected a message; it is stored without its content',
        );
        return store({ owner, message: withoutContent(message), waitSeconds });
      }
    },
  };
}

/** Returns null for each message that must be stored individually. */
const recordBatch = (db: Database, messages: readonly OwnedMessage[]): Promise<(RecordedText | null)[]> =>
  recordContactTexts(
    db,
    messages.map(({ owner: { deviceId }, ...received }) => ({ ...received, deviceId })),
    lockOwnedOrSkip(messages.map(({ owner }) => owner)),
  );

async function recordText(db: Database, { owner, ...received }: OwnedMessage): Promise<RecordedText> {
  const { deviceId } = owner;
  const recorded = await recordContactText(db, { ...received, deviceId }, lockOwned(owner));
  if (recorded === null) throw new NotOwner(deviceId);
  return recorded;
}

const recordInTransaction = (
  { db, keyedHash }: { db: Database; keyedHash: KeyedHash },
  { owner, message, waitSeconds }: OwnedMessage,
  staged: StoredBytes | null,
): Promise<string | null> =>
  db.transaction().execute(async (tx) => {
    if (!(await lockIfOwned(tx, owner))) throw new NotOwner(owner.deviceId);
    return recordInbound(tx, { ...owner, waitSeconds }, message, keyedHash, staged);
  });
