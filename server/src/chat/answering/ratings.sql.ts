import { type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { replaceThumb } from './bot-days.sql.ts';

export type Rating = 'up' | 'down';

export const toRating = (stored: number): Rating => (stored > 0 ? 'up' : 'down');

const toStored = (rating: Rating | null): number | null =>
  rating === null ? null : rating === 'up' ? 1 : -1;

/** Colours of the skin and the mark for pictures do not change the meaning of a thumb. */
const variants = /[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu;
const thumbs: ReadonlyMap<string, Rating> = new Map([
  ['👍', 'up'],
  ['👎', 'down'],
]);

/** Stores the reaction of a contact to a message of the bot. A removed or another reaction ends an earlier thumb. */
export async function rateByReaction(
  tx: Transaction,
  { messageId, emoji }: { messageId: string; emoji: string },
): Promise<void> {
  const rating = toStored(thumbs.get(emoji.replaceAll(variants, '')) ?? null);
  const answerId = sql`(
    select m.answer_id from messages m where m.id = ${messageId} and m.direction = 'out' and m.origin = 'bot')`;
  await replaceThumb('contact_rating', answerId, rating).execute(tx);
}

export async function updateRating(tx: Transaction, answerId: string, rating: Rating | null): Promise<void> {
  await replaceThumb('rating', sql`${answerId}`, toStored(rating)).execute(tx);
}

export interface RatedMessage {
  messageId: string;
  rating: number | null;
  contactRating: number | null;
}

/** Returns the messages of the bot whose answers have a thumb. */
export async function selectRatings(
  db: Database | Transaction,
  messageIds: readonly string[],
): Promise<RatedMessage[]> {
  const { rows } = await sql<RatedMessage>`
    select m.id as "messageId", a.rating, a.contact_rating as "contactRating"
    from messages m join answers a on a.id = m.answer_id
    where m.id = any(${[...messageIds]}::uuid[]) and (a.rating is not null or a.contact_rating is not null)`.execute(
    db,
  );
  return rows;
}

/** Whether an answer in the conversation has such a thumb. */
export const hasRating = (conversations: string, rating: Rating) => sql<SqlBool>`
  exists (select from answers rated
          where rated.device_id = ${sql.ref(`${conversations}.device_id`)}
            and rated.contact_number = ${sql.ref(`${conversations}.contact_number`)}
            and ${toStored(rating)}::smallint in (rated.rating, rated.contact_rating))`;
