import { sql } from 'kysely';
import type { Claim } from '../conversations/claims.sql.ts';
import { isPaused } from '../conversations/conversations.sql.ts';
import type { Database, Transaction } from '../database/database.ts';
import { inScope } from '../database/scopes.ts';
import type { Scope } from '../http/actor.ts';
import { effectiveQuota, numberSetting, textSetting } from '../teams/teams.sql.ts';

/** What decides whether and how a conversation is answered. */
export interface ConversationContext {
  botId: string;
  locale: string;
  humanTakeoverMinutes: number;
  banned: boolean;
  paused: boolean;
  creditsUsed: number;
  creditsLimit: number;
  /** The contact's messages that wait for an answer. */
  unanswered: readonly UnansweredMessage[];
  /** What was said before them. */
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

/** What a team has used in the month, and may, from `teams t` and its `plans p`. */
export const creditColumns = (month: string) => sql`
  coalesce((select u.credits from monthly_usage u where u.team_id = t.id and u.month = ${month}::date), 0)
    as "creditsUsed",
  ${effectiveQuota('credits')} as "creditsLimit"`;

/** At most this many are answered together. */
const maxMessages = 50;

/** The contact's messages that wait for an answer, in their order; `chat` has `device_id` and `contact_number`. */
const unanswered = (chat: string) => sql`
  select m.id, m.kind, m.text, m.mime_type as "mimeType", m.seq from messages m
  where m.device_id = ${sql.ref(`${chat}.device_id`)} and m.contact_number = ${sql.ref(`${chat}.contact_number`)}
    and m.direction = 'in' and m.status = 'received'
  order by m.seq limit ${maxMessages}`;

const maxHistory = 20;

/** What was last said in the chat, newest first, without what waits for an answer or never got one. */
const spoken = (chat: string) => sql`
  select m.direction, m.text, m.seq from messages m
  where m.device_id = ${sql.ref(`${chat}.device_id`)} and m.contact_number = ${sql.ref(`${chat}.contact_number`)}
    and m.text <> '' and m.status not in ('received', 'ignored', 'refused')
  order by m.seq desc limit ${maxHistory}`;

/**
 * Of each claim's conversation, with what waits and what was said before, both oldest first. `month`: whose credits
 * count, by its first day. Undefined where the device is gone.
 */
export async function selectConversationContexts(
  db: Database,
  claims: readonly Claim[],
  month: string,
): Promise<(ConversationContext | undefined)[]> {
  const { rows } = await sql<ConversationContext & { conversationId: string }>`
    select c.id as "conversationId", d.bot_id as "botId", t.banned, ${textSetting('locale')} as locale,
           ${numberSetting('human_takeover_minutes')} as "humanTakeoverMinutes",
           ${isPaused('c')} as paused, ${creditColumns(month)},
           coalesce((select json_agg(w order by w.seq) from (${unanswered('c')}) w), '[]') as unanswered,
           coalesce((select json_agg(s order by s.seq) from (${spoken('c')}) s), '[]') as history
    from conversations c join devices d on d.id = c.device_id join teams t on t.id = d.team_id
    join plans p on p.name = t.plan_name
    where c.id = any(${claims.map(({ conversationId }) => conversationId)}::uuid[])`.execute(db);
  const situations = new Map(rows.map((row) => [row.conversationId, row]));
  return claims.map(({ conversationId }) => situations.get(conversationId));
}

/** Whether the bot has a say there now: it may be unpublished or gone, with its device, banned, or paused for a person. */
export async function mayBotAnswer(tx: Transaction, { conversationId }: Claim): Promise<boolean> {
  const { rows } = await sql`
    select from conversations c join devices d on d.id = c.device_id join teams t on t.id = d.team_id
    join bots b on b.id = d.bot_id
    where c.id = ${conversationId} and not t.banned and not ${isPaused('c')}
      and b.state = 'live' and b.live_version is not null`.execute(tx);
  return rows.length === 1;
}

/** What was last said in a chat, oldest first, without what waits for an answer or never got one. */
export async function selectHistory(
  db: Database,
  { deviceId, contactNumber }: Pick<Claim, 'deviceId' | 'contactNumber'>,
): Promise<HistoryMessage[]> {
  const { rows } = await sql<HistoryMessage>`
    select direction, text from (select ${deviceId}::uuid as device_id, ${contactNumber} as contact_number) chat
    cross join lateral (${spoken('chat')}) latest order by seq`.execute(db);
  return rows;
}

/** The first attachment of a message. */
export async function selectAttachment(
  db: Database,
  messageId: string,
): Promise<{ mimeType: string; bytes: Buffer } | undefined> {
  const { rows } = await sql<{ mimeType: string; bytes: Buffer }>`
    select mime_type as "mimeType", bytes from message_media
    where message_id = ${messageId} order by position limit 1`.execute(db);
  return rows[0];
}

/** Whom a bot belongs to, and what its team may still spend. Undefined when the scope sees no such bot. */
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
    from bots b join teams t on t.id = b.team_id join plans p on p.name = t.plan_name
    where b.id = ${botId} and b.state = 'live'
      and ${inScope(scope, 'b.team_id')}`.execute(db);
  return rows[0];
}
