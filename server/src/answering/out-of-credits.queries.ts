import { sql } from 'kysely';
import { joinLiveVersion } from '../bots/bots.sql.ts';
import { conversationsOutOfCredits } from '../conversations/claims.sql.ts';
import { isPaused } from '../conversations/conversations.sql.ts';
import type { Database } from '../database/database.ts';
import { joinDevice } from '../devices/devices.sql.ts';
import { hasUnanswered } from '../messages/messages.sql.ts';
import { joinPlan } from '../plans/plans.sql.ts';
import { joinTeam } from '../teams/teams.sql.ts';
import { creditColumns } from '../usage/usage.sql.ts';

export interface OutOfCredits {
  conversationId: string;
  teamId: string;
  chatModelLevel: number;
  creditsUsed: number;
  creditsLimit: number;
}

/** Returns conversations that the bot would answer, by id after `after`. `month` is its first day. */
export async function selectOutOfCredits(
  db: Database,
  month: string,
  { after, limit }: { after: string; limit: number },
): Promise<OutOfCredits[]> {
  const { rows } = await sql<OutOfCredits>`
    select c.id as "conversationId", c.team_id as "teamId",
           (v.spec->>'chat_model_level')::int as "chatModelLevel", ${creditColumns(month)}
    from ${conversationsOutOfCredits} ${joinDevice('c.device_id')} ${joinTeam('d.team_id')} ${joinPlan}
    ${joinLiveVersion('d.bot_id')}
    where c.id > ${after}::uuid and not t.banned and not ${isPaused('c')} and ${hasUnanswered('c')}
    order by c.id limit ${limit}`.execute(db);
  return rows;
}
