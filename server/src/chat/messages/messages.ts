import type { Readable } from 'node:stream';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound, operationFailed } from '../../platform/http/errors.ts';
import { timestamp, toInternationalNumber } from '../../platform/http/fields.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { selectRatings, toRating } from '../answering/ratings.sql.ts';
import { selectWaitingFlags } from '../conversations/conversations.sql.ts';
import { selectAttachment } from './message-media.sql.ts';
import { type MessageRow, selectMessage, selectMessages } from './messages.queries.ts';
import type { ListMessages, MessageRecord } from './messages.schemas.ts';

export async function getMessage(db: Database, actor: Actor, id: string): Promise<MessageRecord> {
  const row = await selectMessage(db, actor.scope, id);
  if (row === undefined) throw notFound('message');
  return presentOne(db, row);
}

export interface OpenMedium {
  mimeType: string;
  size: number;
  body: Buffer | Readable;
}

/** Throws `message_not_found` or `media_not_found` (404). */
export async function openMessageMedia(
  { db, fileStore }: { db: Database; fileStore: Pick<FileStore, 'open'> },
  actor: Actor,
  id: string,
): Promise<OpenMedium> {
  const found = await findMedium(db, actor, id);
  const { mimeType, bytes, fileKey } = found;
  if (bytes !== null) return { mimeType, size: bytes.length, body: bytes };
  const file = fileKey === null ? null : await fileStore.open(fileKey);
  if (file !== null) return { mimeType, size: file.size, body: file.stream };
  await findMedium(db, actor, id); // throws when it was deleted meanwhile
  throw operationFailed('file_missing', "The message's file is missing from the store");
}

async function findMedium(db: Database, actor: Actor, id: string) {
  const row = await selectMessage(db, actor.scope, id);
  if (row === undefined) throw notFound('message');
  const medium = await selectAttachment(db, id);
  if (medium === undefined) throw notFound('media');
  return medium;
}

export function presentDetails({ details }: Pick<MessageRow, 'details'>): Pick<MessageRecord, 'details'> {
  if (details === null) return {};
  const { messageId, replyToId, missingMedia, originalText, orderId, itemCount, ...more } = details;
  const { startsAt, contentType, ...rest } = more;
  return {
    details: {
      ...rest,
      ...(messageId !== undefined && { message_id: messageId }),
      ...(replyToId !== undefined && { reply_to_id: replyToId }),
      ...(missingMedia !== undefined && { missing_media: missingMedia }),
      ...(originalText !== undefined && { original_text: originalText }),
      ...(orderId !== undefined && { order_id: orderId }),
      ...(itemCount !== undefined && { item_count: itemCount }),
      ...(startsAt !== undefined && { starts_at: startsAt }),
      ...(contentType !== undefined && { content_type: contentType }),
    },
  };
}

export async function getMessageInTransaction(tx: Transaction, id: string): Promise<MessageRecord> {
  const row = await selectMessage(tx, { kind: 'all' }, id);
  if (row === undefined) throw new Error(`message ${id} does not exist`);
  return presentOne(tx, row);
}

export async function listMessages(
  db: Database,
  { scope }: Actor,
  { contact_number: number, ...query }: ListMessages,
): Promise<{ messages: MessageRecord[]; total: number }> {
  const contact = number === undefined ? {} : { contact_number: toInternationalNumber(number) };
  const { rows, total } = await selectMessages(db, scope, { ...query, ...contact });
  return { messages: await presentMessages(db, rows), total };
}

type Outcome = Pick<MessageRecord, 'outcome' | 'outcome_reason'>;

/** Messages that were ignored before reasons were stored have no outcome. `failure` may be `provider_failed:auth`. */
function presentOutcome({ status, failure }: MessageRow, waiting: Outcome): Outcome {
  if (status === 'received') return waiting;
  if (failure !== null) {
    const [outcome, reason] = failure.split(':');
    return {
      outcome: outcome as NonNullable<MessageRecord['outcome']>,
      ...(reason === undefined ? {} : { outcome_reason: reason }),
    };
  }
  return status === 'answered' ? { outcome: 'answered' } : {};
}

async function presentOne(db: Database | Transaction, row: MessageRow): Promise<MessageRecord> {
  const [message] = await presentMessages(db, [row]);
  if (message === undefined) throw new Error(`message ${row.id} was not presented`);
  return message;
}

async function presentMessages(
  db: Database | Transaction,
  rows: readonly MessageRow[],
): Promise<MessageRecord[]> {
  const waiting = rows.filter(({ direction, status }) => direction === 'in' && status === 'received');
  const flags = waiting.length === 0 ? [] : await selectWaitingFlags(db, waiting);
  const outcomes = new Map(
    flags.map(({ deviceId, contactNumber, flag, flagReason }): [string, Outcome] => [
      `${deviceId} ${contactNumber}`,
      {
        // The query returns only flags that are also outcomes.
        outcome: flag as NonNullable<MessageRecord['outcome']>,
        ...(flagReason === null ? {} : { outcome_reason: flagReason }),
      },
    ]),
  );
  const ratings = await readRatings(db, rows);
  return rows.map((row) => ({
    ...presentMessage(row, outcomes.get(`${row.device_id} ${row.contact_number}`) ?? { outcome: 'waiting' }),
    ...ratings.get(row.id),
  }));
}

type Ratings = Pick<MessageRecord, 'rating' | 'contact_rating'>;

async function readRatings(
  db: Database | Transaction,
  rows: readonly MessageRow[],
): Promise<ReadonlyMap<string, Ratings>> {
  const ids = rows.filter(({ origin }) => origin === 'bot').map(({ id }) => id);
  const rated = ids.length === 0 ? [] : await selectRatings(db, ids);
  return new Map(
    rated.map(({ messageId, rating, contactRating }): [string, Ratings] => [
      messageId,
      {
        ...(rating !== null && { rating: toRating(rating) }),
        ...(contactRating !== null && { contact_rating: toRating(contactRating) }),
      },
    ]),
  );
}

/** The network reports the category, and a price only sometimes. */
const presentPricing = ({
  category,
  billable,
  amount = null,
  currency = null,
}: Partial<Pricing>): Pricing => ({
  category: category ?? '',
  billable: billable ?? false,
  amount,
  currency,
});

type Pricing = NonNullable<MessageRecord['pricing']>;

const presentMessage = (row: MessageRow, waiting: Outcome): MessageRecord => ({
  id: row.id,
  team_id: row.team_id,
  device_id: row.device_id,
  contact_number: row.contact_number,
  direction: row.direction,
  origin: row.origin,
  kind: row.kind,
  text: row.text,
  status: row.status,
  ...(row.direction === 'in'
    ? presentOutcome(row, waiting)
    : row.failure === null
      ? {}
      : { failure: row.failure }),
  ...(row.failure_code === null ? {} : { failure_code: row.failure_code }),
  ...(row.template === null ? {} : { template: row.template }),
  ...(row.choices === null ? {} : { choices: row.choices }),
  ...(row.pricing === null ? {} : { pricing: presentPricing(row.pricing) }),
  ...(row.generation === null ? {} : { generation: row.generation }),
  refunded: row.refunded,
  ...(row.mime_type === null ? {} : { mime_type: row.mime_type }),
  ...presentDetails(row),
  ...(row.sent_at === null ? {} : { sent_at: timestamp(row.sent_at) }),
  created_at: timestamp(row.created_at),
});
