import { sql } from 'kysely';
import { liveBot } from '../../knowledge/bots/bots.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { joinPlan } from '../../tenancy/plans/plans.sql.ts';
import { disclosureSetting, joinTeam, textSetting } from '../../tenancy/teams/teams.sql.ts';
import { creditColumns } from '../../tenancy/usage/usage.sql.ts';
import type { ConversationContext } from './conversation-context.queries.ts';

export interface BotTeam
  extends Pick<
    ConversationContext,
    'locale' | 'timeZone' | 'banned' | 'creditsUsed' | 'creditsLimit' | 'teamName' | 'disclosure'
  > {
  teamId: string;
}

export async function selectBotTeam(
  db: Database,
  scope: Scope,
  botId: string,
  month: string,
): Promise<BotTeam | undefined> {
  const { rows } = await sql<BotTeam>`
    select t.id as "teamId", t.name as "teamName", ${disclosureSetting} as disclosure, t.banned, ${textSetting('locale')} as locale,
           ${textSetting('timezone')} as "timeZone", ${creditColumns(month)}
    from ${liveBot(scope, botId)} ${joinTeam('b.team_id')} ${joinPlan}`.execute(db);
  return rows[0];
}
