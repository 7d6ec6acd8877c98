import { sql } from 'kysely';
import { joinDevice } from '../../devices/devices.sql.ts';
import { joinLiveVersion } from '../../knowledge/bots/bots.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import { joinPlan } from '../../tenancy/plans/plans.sql.ts';
import { joinTeam } from '../../tenancy/teams/teams.sql.ts';
import { creditColumns } from '../../tenancy/usage/usage.sql.ts';
import { type RestFlag, restingConversations } from '../conversations/claims.sql.ts';
import { isPaused } from '../conversations/conversations.sql.ts';
import { hasUnanswered } from '../messages/messages.sql.ts';

export interface RestingConversation {
  conversationId: string;
  teamId: string;
  chatModelLevel: number;
  creditsUsed: number;
  creditsLimit: number;
}

/**
 * Returns resting conversations that the bot would answer, by id after `after`, except those that the provider rejects. `month` is
 * its first day.
 */
export async function selectResting(
  db: Database,
  flag: RestFlag,
  { month, after, limit }: { month: string; after: string; limit: number },
): Promise<RestingConversation[]> {
  const { rows } = await sql<RestingConversation>`
    select c.id as "conversationId", c.team_id as "teamId",
           (v.spec->>'chat_model_level')::int as "chatModelLevel", ${creditColumns(month)}
    from ${restingConversations(flag)} ${joinDevice('c.device_id')} ${joinTeam('d.team_id')} ${joinPlan}
    ${joinLiveVersion('d.bot_id')}
    where c.id > ${after}::uuid and not t.banned and not ${isPaused('c')} and ${hasUnanswered('c')}
      and c.flag_reason is distinct from 'rejected'
    order by c.id limit ${limit}`.execute(db);
  return rows;
}
