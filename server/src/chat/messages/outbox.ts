import type { Database, Transaction } from '../../platform/database/database.ts';
import { nullIfLocked } from '../../platform/database/lock-timeout.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { createGroupedRetries } from '../../platform/shared/grouped-retries.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createIsolatingBatch } from '../../platform/shared/isolating-batch.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type {
  MessageContent,
  OutboundMessage,
  Receipt,
  SendRefused,
} from '../../ports/messaging-network/messaging-network.ts';
import {
  type MessagePrices,
  priceMessage,
  type ReportedPricing,
} from '../../tenancy/usage/message-prices.ts';
import {
  type DeliveryAttempt,
  loadParts,
  toDeliveryAttempt,
  toMessageId,
  toNetworkId,
} from './delivery-attempt.ts';
import {
  type DeliveryStatus,
  type Failure,
  markRefusedLater,
  selectByExternalId,
  selectReported,
  selectUnpriced,
  storeExternalId,
  storePricing,
  updateDeliveryStatuses,
} from './delivery-status.queries.ts';
import { type NewMedia, recordMedia, type SpokenMedium, voiceNote } from './media.ts';
import {
  type ClaimedRow,
  type ClaimRoom,
  claimDue,
  endMessagesOfDevice,
  endOrphanedMessages,
  insertUncharged,
  markOptedOut,
  markRefused,
  markRetriesEnded,
  markUnknown,
  postpone,
  refuseUnsent,
  retryDelays,
  returnRestricted,
  returnUnsent,
  selectDueDevices,
  selectMedia,
  selectSent,
} from './outbox.queries.ts';

export type { ClaimRoom };

export interface Outbox {
  /** Devices of the pool with due messages, claimed ones included. */
  listDueDevices(poolId: string): Promise<string[]>;
  claim(poolId: string, devices: readonly ClaimRoom[]): Promise<DeliveryAttempt[]>;
  /** Returns the parts with their bytes. Rejects if the file store fails. */
  load(attempt: Pick<DeliveryAttempt, 'parts'>): Promise<OutboundMessage[]>;
  /** `externalId` is the network's own id of the message, if it has one. */
  recordSent(attempt: DeliveryAttempt, externalId?: string | null): Promise<void>;
  /** `code` is the network's number of the error. */
  recordRefused(attempt: DeliveryAttempt, reason: SendRefused['reason'], code?: number | null): Promise<void>;
  /** Returns a message that could not be loaded to the outbox. The attempt does not count. */
  recordUnread(attempt: DeliveryAttempt): Promise<void>;
  /** Returns a message to the outbox that the network takes later. The attempt does not count. Returns the delay. */
  recordPostponed(attempt: DeliveryAttempt, seconds: number): Promise<number>;
  /**
   * Schedules a retry under the same id: at most three within ten minutes, and none on a network that would store the message
   * twice. Returns the delay in seconds, or null if no retry is left.
   */
  scheduleRetry(attempt: DeliveryAttempt): Promise<number | null>;
  recordReceipt(device: { deviceId: string; teamId: string }, receipt: Receipt): Promise<void>;
  /** Returns the content of a message that the device sent. `networkId` may name a later part of it. */
  findSent(deviceId: string, networkId: string): Promise<MessageContent | null>;
  /** Marks messages as unknown whose retries have ended. Refunds messages that were not attempted within 24 hours. */
  sweep(poolId: string): Promise<void>;
}

interface OutboxDependencies {
  db: Database;
  fileStore: Pick<FileStore, 'get'>;
  notifications: Pick<Notifications, 'publish'>;
  logger: Pick<Logger, 'warn'>;
  clock: Pick<Clock, 'now'>;
  messagePrices: MessagePrices;
}

export function createOutbox(dependencies: OutboxDependencies): Outbox {
  const { db, fileStore, notifications, logger, clock, messagePrices } = dependencies;
  const updateStatus = createStatusUpdates(dependencies);
  const retries = createGroupedRetries();
  /** A team's locked rows occupy few database connections, however many of its messages need them. */
  const settle = <Result>(teamId: string, write: () => Promise<Result>): Promise<Result> =>
    retries
      .run(teamId, () => nullIfLocked(async () => ({ written: await write() })))
      .then(({ written }) => written);
  const publish = (topic: 'message-sent' | 'message-settled', messageId: string) => {
    faultPoint('outbox.after_settle');
    notifications.publish(topic, messageId);
  };
  /** A report with an id of the network may come before `send` has returned that id, or instead of it. */
  const findReported = async (
    deviceId: string,
    teamId: string,
    { networkId, externalId }: Receipt,
  ): Promise<string | null> => {
    const id = toMessageId(networkId);
    if (externalId === undefined) return id ?? selectByExternalId(db, deviceId, networkId);
    const found = await selectReported(db, deviceId, { id, externalId });
    if (found === undefined) return null;
    if (found.external_id === null) await settle(teamId, () => storeExternalId(db, found.id, externalId));
    return found.id;
  };
  const recordPricing = async (id: string, teamId: string, reported: ReportedPricing) => {
    const message = await selectUnpriced(db, id);
    if (message === undefined) return;
    const now = clock.now();
    const pricing = priceMessage(messagePrices, reported, message.contact_number, now);
    await settle(teamId, () => storePricing(db, { id, pricing, month: toMonth(now) }));
  };
  return {
    listDueDevices: (poolId) => selectDueDevices(db, poolId),
    async claim(poolId, devices) {
      const { attempts, optedOut } = await claimAttempts(db, poolId, devices);
      // A team whose rows are locked must not hold the others up. What fails is claimed again later.
      for (const { id, team_id: teamId } of optedOut)
        void settle(teamId, () => markOptedOut(db, id)).then(
          () => publish('message-settled', id),
          (err: unknown) =>
            logger.warn({ err, messageId: id, teamId }, 'a message could not be refused; retrying'),
        );
      return attempts;
    },
    load: ({ parts }) => loadParts(fileStore, parts),

    async recordSent({ messageId, teamId }, externalId = null) {
      if (externalId !== null) await settle(teamId, () => storeExternalId(db, messageId, externalId));
      const changed = await updateStatus({ messageId, teamId, state: 'sent' });
      publish(changed ? 'message-sent' : 'message-settled', messageId);
    },

    async recordRefused(attempt, reason, code = null) {
      if (reason === 'device_restricted') {
        const returned = await settle(attempt.teamId, () =>
          returnRestricted(db, { id: attempt.messageId, attempts: attempt.attempts }),
        );
        if (returned) return;
      }
      await settle(attempt.teamId, () => storeRefusal(db, attempt, { reason, code }));
      publish('message-settled', attempt.messageId);
    },

    recordUnread: ({ messageId: id, teamId, attempts }) =>
      settle(teamId, () => returnUnsent(db, { id, attempts }, unreadDelay)),

    async recordPostponed({ messageId: id, teamId, attempts }, seconds) {
      await settle(teamId, () => returnUnsent(db, { id, attempts }, seconds));
      return seconds;
    },

    async scheduleRetry(attempt) {
      const delay = await settle(attempt.teamId, () => postponeOrEnd(db, attempt));
      if (delay === null) publish('message-settled', attempt.messageId);
      return delay;
    },

    async recordReceipt({ deviceId, teamId }, receipt) {
      const { state, pricing, failure = { reason: 'network_refused', code: null } } = receipt;
      const messageId = await findReported(deviceId, teamId, receipt);
      if (messageId === null) return;
      // The network charges for what it delivered. It reports a price with `sent`, too.
      if (pricing !== undefined && (state === 'delivered' || state === 'read'))
        await recordPricing(messageId, teamId, pricing);
      if (state === 'failed') await settle(teamId, () => markRefusedLater(db, messageId, failure));
      else if (!(await updateStatus({ messageId, teamId, state })) || state !== 'sent') return;
      publish(state === 'sent' ? 'message-sent' : 'message-settled', messageId);
    },

    findSent: (deviceId, networkId) => findSentContent({ db, fileStore }, deviceId, networkId),

    async sweep(poolId) {
      for (const id of await markRetriesEnded(db, poolId)) publish('message-settled', id);
      for (const id of await refuseUnsent(db)) publish('message-settled', id);
      await endOrphanedMessages(db);
    },
  };
}

const networkIdLength = 32;
/** Before another try to read the file of a message, in seconds. */
const unreadDelay = 5;

async function findSentContent(
  { db, fileStore }: Pick<OutboxDependencies, 'db' | 'fileStore'>,
  deviceId: string,
  networkId: string,
): Promise<MessageContent | null> {
  const id = toMessageId(networkId.slice(0, networkIdLength));
  const row = id === null ? undefined : await selectSent(db, deviceId, id);
  if (id === null || row === undefined) return null;
  const { parts } = toDeliveryAttempt(row, row.kind === 'text' ? [] : await selectMedia(db, [id]));
  const wanted = parts.filter((part) => part.networkId === networkId);
  const [found] = await loadParts(fileStore, wanted);
  return found?.content ?? null;
}

async function claimAttempts(
  db: Database,
  poolId: string,
  devices: readonly ClaimRoom[],
): Promise<{ attempts: DeliveryAttempt[]; optedOut: ClaimedRow[] }> {
  const claimed = devices.length === 0 ? [] : await claimDue(db, poolId, devices);
  const optedOut = claimed.filter((row) => row.opted_out);
  const rows = claimed.filter((row) => !row.opted_out);
  const withMedia = rows.filter(({ kind }) => kind !== 'text').map(({ id }) => id);
  const media = withMedia.length === 0 ? [] : await selectMedia(db, withMedia);
  const attempts = rows.map((row) =>
    toDeliveryAttempt(
      row,
      media.filter(({ message_id }) => message_id === row.id),
    ),
  );
  return { attempts, optedOut };
}

async function storeRefusal(
  db: Database,
  { messageId: id, attempts }: DeliveryAttempt,
  failure: Failure,
): Promise<void> {
  // A refused retry does not prove that the first attempt failed, unless the recipient does not exist.
  const certain = attempts === 1 || failure.reason === 'recipient_unknown';
  const mark = certain ? markRefused : markUnknown;
  await mark(db, { id, attempts }, failure);
}

async function postponeOrEnd(
  db: Database,
  { messageId: id, attempts, sendsOnce }: DeliveryAttempt,
): Promise<number | null> {
  const delay = sendsOnce ? null : (retryDelays[attempts - 1] ?? null);
  const reason = sendsOnce ? 'no_acknowledgement' : 'retries_ended';
  if (delay === null) await markUnknown(db, { id, attempts }, { reason, code: null });
  else await postpone(db, { id, attempts }, delay);
  return delay;
}

/** Reports for each update whether the status advanced. Skips locked messages and retries them individually. */
function createStatusUpdates({ db, logger }: Pick<OutboxDependencies, 'db' | 'logger'>) {
  const update = async (updates: readonly StatusUpdate[]): Promise<(boolean | null)[]> => {
    const advanced = await updateDeliveryStatuses(db, furthestStatuses(updates));
    return updates.map(({ messageId }) =>
      advanced.get(messageId) === false ? null : advanced.has(messageId),
    );
  };
  return createIsolatingBatch<StatusUpdate, boolean>({
    waitMs: 2,
    maxItems: 200,
    groupOf: ({ teamId }) => teamId,
    runBatch: update,
    runOne: async (item) => (await update([item]))[0] ?? null,
    logger,
    failure: 'a batch of delivery statuses could not be stored',
  });
}

interface StatusUpdate {
  messageId: string;
  teamId: string;
  state: DeliveryStatus;
}

const ranks = { sent: 0, delivered: 1, read: 2 };

function furthestStatuses(updates: readonly StatusUpdate[]): Map<string, DeliveryStatus> {
  const states = new Map<string, DeliveryStatus>();
  for (const { messageId, state } of updates) {
    const known = states.get(messageId);
    if (known === undefined || ranks[known] < ranks[state]) states.set(messageId, state);
  }
  return states;
}

/** With `spoken`, the message is a voice note that says `text`. `text` is the caption of a `file`. */
export interface ReplyPart {
  text: string;
  spoken?: SpokenMedium;
  file?: SentFile;
}

export type SentFile = Omit<NewMedia, 'messageId' | 'position'>;

export interface ChatReply {
  teamId: string;
  deviceId: string;
  contactNumber: string;
  origin: 'bot' | 'person';
  answerId: string | null;
  /** Null outside a request. A bot's reply has the id of the last message that it answers. */
  requestId: string | null;
  parts: readonly ReplyPart[];
}

/**
 * Adds replies to the outbox, in order and uncharged, and returns the message ids. The caller publishes `message-due` with
 * the devices' ids after the commit.
 */
export async function enqueueReplies(tx: Transaction, ...replies: readonly ChatReply[]): Promise<string[]> {
  const rows = replies.flatMap(({ parts, ...chat }) =>
    parts.map(({ text, spoken, file }) => {
      const id = newId();
      const kind = file?.kind ?? (spoken === undefined ? ('text' as const) : ('voice' as const));
      const mimeType = file?.mimeType ?? null;
      return { ...chat, id, networkId: toNetworkId(id), kind, text, mimeType, spoken, file };
    }),
  );
  await insertUncharged(tx, rows);
  for (const { id, spoken, file } of rows) {
    if (spoken !== undefined) await recordMedia(tx, voiceNote(id, 0, spoken));
    if (file !== undefined) await recordMedia(tx, { ...file, messageId: id, position: 0 });
  }
  return rows.map(({ id }) => id);
}

/** Call it in the transaction that deletes the device. Refunds messages that were never attempted. */
export const endMessagesOfDeletedDevice = (tx: Transaction, deviceId: string): Promise<void> =>
  endMessagesOfDevice(tx, deviceId);
