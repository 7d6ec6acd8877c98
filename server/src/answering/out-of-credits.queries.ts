import { sql } from 'kysely';
import { isPaused } from '../conversations/conversations.sql.ts';
import type { Database } from '../database/database.ts';
import { creditColumns } from './conversation-context.queries.ts';

/** A conversation whose messages wait for credits, and what its team has of them now. */
export interface OutOfCredits {
  conversationId: string;
  teamId: string;
  chatModelLevel: number;
  creditsUsed: number;
  creditsLimit: number;
}

const outOfCredits = sql`c.flag = 'out_of_credits' and c.answer_due_at is null`;

/** Those the bot would answer, by their ids, that come after `after`. `month`: whose credits count, by its first day. */
export async function selectOutOfCredits(
  db: Database,
  month: string,
  { after, limit }: { after: string; limit: number },
): Promise<OutOfCredits[]> {
  const { rows } = await sql<OutOfCredits>`
    select c.id as "conversationId", c.team_id as "teamId",
           (v.spec->>'chat_model_level')::int as "chatModelLevel", ${creditColumns(month)}
    from conversations c join devices d on d.id = c.device_id join teams t on t.id = d.team_id
    join plans p on p.name = t.plan_name join bots b on b.id = d.bot_id
    join bot_versions v on v.bot_id = b.id and v.version = b.live_version
    where ${outOfCredits} and c.id > ${after}::uuid and not t.banned and not ${isPaused('c')} and exists (
      select from messages m
      where m.device_id = c.device_id and m.contact_number = c.contact_number and m.direction = 'in'
        and m.status = 'received')
    order by c.id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Makes them due now, unless a message of the contact has done so meanwhile. Those that somebody has locked are left for
 * the next time, so that nobody waits for the others.
 */
export async function makeDue(db: Database, conversationIds: readonly string[]): Promise<void> {
  await sql`
    with free as (
      select c.id from conversations c where c.id = any(${conversationIds}::uuid[]) and ${outOfCredits}
      for no key update skip locked
    )
    update conversations c set answer_due_at = now() from free where c.id = free.id`.execute(db);
}
