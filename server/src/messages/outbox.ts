import type { SpokenText } from '../adapters/speech/speech.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { createBatch } from '../shared/batch.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { newId } from '../shared/ids.ts';
import {
  type DeliveryAttempt,
  retryPauses,
  toDeliveryAttempt,
  toMessageId,
  toNetworkId,
} from './delivery-attempt.ts';
import { type DeliveryStatus, updateDeliveryStatuses } from './delivery-status.queries.ts';
import { recordMedia, voiceNote } from './media.ts';
import {
  claimDue,
  insertUncharged,
  postpone,
  selectDueDevices,
  selectMedia,
  settleForDevice,
  settleLate,
  settleLateRefusal,
  settleOrphans,
  settleOverdue,
  settleRefused,
  settleUnknown,
} from './outbox.queries.ts';

/** The rows of `messages` that wait for their device's pool, as its queue. */
export interface Outbox {
  /** Devices of the pool with something that is due, or claimed already. */
  listDueDevices(poolId: string): Promise<string[]>;
  claim(poolId: string, devices: readonly { deviceId: string; room: number }[]): Promise<DeliveryAttempt[]>;
  /** The network acknowledged it. */
  recordSent(handOff: DeliveryAttempt): Promise<void>;
  /** The network refused it for certain. */
  recordRefused(handOff: DeliveryAttempt, failure: 'recipient_unknown' | 'network_refused'): Promise<void>;
  /** Nobody knows: retried under the same id, at most three times in ten minutes. Answers the pause in seconds. */
  scheduleRetry(handOff: DeliveryAttempt): Promise<number | null>;
  receipt(receipt: { networkId: string; state: 'delivered' | 'read' | 'failed' }): Promise<void>;
  /** Lets what can no longer be retried rest, and gives back what was never sent and is too old by now. */
  sweep(poolId: string): Promise<void>;
}

export function createOutbox({
  db,
  notifications,
  faultPoint,
}: {
  db: Database;
  notifications: Pick<Notifications, 'publish'>;
  faultPoint: FaultPoint;
}): Outbox {
  const settled = (messageId: string, topic: 'message-sent' | 'message-settled' = 'message-settled') => {
    faultPoint('outbox.after_settle');
    notifications.publish(topic, messageId);
  };
  const words = createBatch<Word, boolean>({
    waitMs: 2,
    maxItems: 200,
    run: async (gathered) => {
      const written = await updateDeliveryStatuses(db, furthest(gathered));
      return gathered.map(({ messageId }) => written.has(messageId));
    },
  });
  return {
    listDueDevices: (poolId) => selectDueDevices(db, poolId),

    async claim(poolId, devices) {
      const rows = devices.length === 0 ? [] : await claimDue(db, poolId, devices);
      const withMedia = rows.filter(({ kind }) => kind !== 'text').map(({ id }) => id);
      const media = withMedia.length === 0 ? [] : await selectMedia(db, withMedia);
      return rows.map((row) =>
        toDeliveryAttempt(
          row,
          media.filter(({ message_id }) => message_id === row.id),
        ),
      );
    },

    async recordSent({ messageId }) {
      const changed = await words.add({ messageId, state: 'sent' });
      settled(messageId, changed ? 'message-sent' : 'message-settled');
    },

    async recordRefused({ messageId: id, attempts }, failure) {
      // The refusal of a repeat says nothing of the hand-off before it, unless nobody could have got that one either.
      const certain = attempts === 1 || failure === 'recipient_unknown';
      if (certain) await settleRefused(db, { id, attempts }, failure);
      else await settleUnknown(db, { id, attempts }, failure);
      settled(id);
    },

    async scheduleRetry({ messageId: id, attempts }) {
      const pause = retryPauses[attempts - 1];
      if (pause === undefined) {
        await settleUnknown(db, { id, attempts }, 'retries_ended');
        settled(id);
        return null;
      }
      await postpone(db, { id, attempts }, pause);
      return pause;
    },

    async receipt({ networkId, state }) {
      const id = toMessageId(networkId);
      if (id === null) return;
      if (state === 'failed') {
        await settleLateRefusal(db, id);
        settled(id);
      } else {
        await words.add({ messageId: id, state });
      }
    },

    async sweep(poolId) {
      for (const id of await settleOverdue(db, poolId)) settled(id);
      for (const id of await settleLate(db)) settled(id);
      await settleOrphans(db);
    },
  };
}

interface Word {
  messageId: string;
  state: DeliveryStatus;
}

const ranks = { sent: 0, delivered: 1, read: 2 };

/** Of each message, the furthest state. */
function furthest(words: readonly Word[]): Map<string, DeliveryStatus> {
  const states = new Map<string, DeliveryStatus>();
  for (const { messageId, state } of words) {
    const known = states.get(messageId);
    if (known === undefined || ranks[known] < ranks[state]) states.set(messageId, state);
  }
  return states;
}

/** One message of a reply. `spoken` sends it as a voice note; `text` is what it says. */
export interface ReplyPart {
  text: string;
  spoken?: SpokenText;
}

/** What a bot says in one chat, or a person in the bot's place. */
export interface ChatReply {
  teamId: string;
  deviceId: string;
  contactNumber: string;
  origin: 'bot' | 'person';
  answerId: string | null;
  parts: readonly ReplyPart[];
}

/**
 * Puts replies into the outbox, in order and uncharged. Publish `message-due` with the devices' ids after the commit.
 * Answers the ids of the messages.
 */
export async function enqueueReplies(tx: Transaction, ...replies: readonly ChatReply[]): Promise<string[]> {
  const rows = replies.flatMap(({ parts, ...chat }) =>
    parts.map(({ text, spoken }) => {
      const id = newId();
      const kind = spoken === undefined ? ('text' as const) : ('voice' as const);
      return { ...chat, id, networkId: toNetworkId(id), kind, text, spoken };
    }),
  );
  await insertUncharged(tx, rows);
  for (const { id, spoken } of rows) {
    if (spoken !== undefined) await recordMedia(tx, voiceNote(id, 0, spoken));
  }
  return rows.map(({ id }) => id);
}

/** Settles what waits for a device that is being deleted, in the transaction that deletes it. */
export const settleDeletedDevice = (tx: Transaction, deviceId: string): Promise<void> =>
  settleForDevice(tx, deviceId);
