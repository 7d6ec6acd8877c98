import { sql } from 'kysely';
import { liveBot } from '../bots/bots.sql.ts';
import type { Claim } from '../conversations/claims.sql.ts';
import { isPaused } from '../conversations/conversations.sql.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Scope } from '../database/scopes.ts';
import { latestMessages, unansweredMessages } from '../messages/messages.sql.ts';
import { joinPlan } from '../plans/plans.sql.ts';
import { joinTeam, numberSetting, textSetting } from '../teams/teams.sql.ts';
import { creditColumns } from '../usage/usage.sql.ts';

export interface ConversationContext {
  botId: string;
  locale: string;
  humanTakeoverMinutes: number;
  banned: boolean;
  paused: boolean;
  creditsUsed: number;
  creditsLimit: number;
  unanswered: readonly UnansweredMessage[];
  history: readonly HistoryMessage[];
}

export interface UnansweredMessage {
  id: string;
  kind: 'text' | 'image' | 'voice' | 'document';
  text: string;
  mimeType: string | null;
}

export interface HistoryMessage {
  direction: 'in' | 'out';
  text: string;
}

/** Returns undefined for a deleted device. Messages are oldest first. `month` is its first day. */
export async function selectConversationContexts(
  db: Database,
  claims: readonly Claim[],
  month: string,
): Promise<(ConversationContext | undefined)[]> {
  const { rows } = await sql<ConversationContext & { conversationId: string }>`
    select c.id as "conversationId", d.bot_id as "botId", t.banned, ${textSetting('locale')} as locale,
           ${numberSetting('human_takeover_minutes')} as "humanTakeoverMinutes",
           ${isPaused('c')} as paused, ${creditColumns(month)},
           coalesce((select json_agg(w order by w.seq) from (${unansweredMessages('c')}) w), '[]') as unanswered,
           coalesce((select json_agg(s order by s.seq) from (${latestMessages('c')}) s), '[]') as history
    from conversations c join devices d on d.id = c.device_id join teams t on t.id = d.team_id
    join plans p on p.name = t.plan_name
    where c.id = any(${claims.map(({ conversationId }) => conversationId)}::uuid[])`.execute(db);
  const contexts = new Map(rows.map((row) => [row.conversationId, row]));
  return claims.map(({ conversationId }) => contexts.get(conversationId));
}

export async function mayBotAnswer(tx: Transaction, { conversationId }: Claim): Promise<boolean> {
  const { rows } = await sql`
    select from conversations c join devices d on d.id = c.device_id join teams t on t.id = d.team_id
    join bots b on b.id = d.bot_id
    where c.id = ${conversationId} and not t.banned and not ${isPaused('c')}
      and b.state = 'live' and b.live_version is not null`.execute(tx);
  return rows.length === 1;
}

export async function selectHistory(
  db: Database,
  { deviceId, contactNumber }: Pick<Claim, 'deviceId' | 'contactNumber'>,
): Promise<HistoryMessage[]> {
  const { rows } = await sql<HistoryMessage>`
    select direction, text from (select ${deviceId}::uuid as device_id, ${contactNumber} as contact_number) chat
    cross join lateral (${latestMessages('chat')}) latest order by seq`.execute(db);
  return rows;
}

export async function selectBotTeam(
  db: Database,
  scope: Scope,
  botId: string,
  month: string,
): Promise<
  | (Pick<ConversationContext, 'locale' | 'banned' | 'creditsUsed' | 'creditsLimit'> & { teamId: string })
  | undefined
> {
  const { rows } = await sql<
    Pick<ConversationContext, 'locale' | 'banned' | 'creditsUsed' | 'creditsLimit'> & { teamId: string }
  >`
    select t.id as "teamId", t.banned, ${textSetting('locale')} as locale, ${creditColumns(month)}
    from ${liveBot(scope, botId)} ${joinTeam('b.team_id')} ${joinPlan}`.execute(db);
  return rows[0];
}
