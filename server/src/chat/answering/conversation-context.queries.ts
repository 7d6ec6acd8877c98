import { sql } from 'kysely';
import type { ContactMessage, QuotedMessage } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { isTester } from '../../knowledge/bots/testers.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { disclosureSetting, numberSetting, textSetting } from '../../tenancy/teams/teams.sql.ts';
import { creditColumns } from '../../tenancy/usage/usage.sql.ts';
import { hasOptedIn } from '../consents/consents.sql.ts';
import type { Claim } from '../conversations/claims.sql.ts';
import { isPaused } from '../conversations/conversations.sql.ts';
import { storedToolCalls, type ToolCallRow } from '../conversations/tool-calls.sql.ts';
import type { Hours } from '../hours/hours.schemas.ts';
import {
  lastAnswerAt,
  latestAnsweredMessage,
  latestMessages,
  recentMessages,
  unansweredMessages,
} from '../messages/messages.sql.ts';
import { type RecentMessage, recentMessageCount } from './automated-contact.ts';
import type { NoticeContext } from './notice.ts';

export interface ConversationContext extends NoticeContext {
  botId: string;
  locale: string;
  timeZone: string;
  humanTakeoverMinutes: number;
  openingHours: Hours | null;
  /** Milliseconds since the answer was due. 0 in a retry, which waits on purpose. */
  overdueMs: number;
  banned: boolean;
  paused: boolean;
  /** Gets the draft of the bot. */
  isTester: boolean;
  /** The contact had opted out, and undid it. */
  optedIn: boolean;
  creditsUsed: number;
  creditsLimit: number;
  /** The last answer, and the newest message that it was for. Null for a new contact. */
  previous: PreviousAnswer | null;
  unanswered: readonly UnansweredMessage[];
  history: readonly HistoryMessage[];
  /** Oldest first, with the unanswered ones. */
  recent: readonly RecentMessage[];
  /** In the order of the calls, including those of earlier answers. */
  toolCalls: readonly ToolCallRow[];
}

export interface PreviousAnswer {
  /** The name of its canned reply, if it was one. */
  line: string | null;
  agoMs: number;
  /** When the contact sent the message. */
  sentMs: number;
}

interface StoredMessage {
  id: string;
  kind: QuotedMessage['kind'];
  /** Empty if `withdrawn`. */
  text: string;
  withdrawn: NonNullable<ContactMessage['withdrawn']> | null;
  quoted: QuotedMessage | null;
}

export interface UnansweredMessage extends StoredMessage {
  mimeType: string | null;
  /** When the contact sent it, in milliseconds since 1970. */
  sentMs: number;
  /** How much later it arrived. */
  lateMs: number;
}

export interface HistoryMessage extends StoredMessage {
  direction: 'in' | 'out';
  answerId: string | null;
  /** The calls of actions for this answer. Null if none were kept. */
  calls: readonly CallWithResult[] | null;
}

/** A call of an action, as the model of a later answer sees it. */
export interface CallWithResult {
  tool: string;
  arguments: string;
  result: string;
}

/** The bot's calls of actions are part of the conversation for a model. */
const historyOf = (chat: string, options = { images: false }) => sql`
  select json_agg(json_build_object('id', s.id, 'direction', s.direction, 'kind', s.kind, 'text', s.text,
                                    'withdrawn', s.withdrawn, 'quoted', s.quoted, 'answerId', s.answer_id,
                                    'calls', a.trace->'calls') order by s.seq)
  from (${latestMessages(chat, options)}) s left join answers a on a.id = s.answer_id and s.direction = 'out'`;

/** A notice counts unless its message was refused: then no answer reached the contact since. */
const noticeState = (conversations: string) => sql`
  coalesce(${sql.ref(`${conversations}.noticed_at`)} <= ${lastAnswerAt(conversations)}, false) as noticed,
  extract(epoch from now() - ${lastAnswerAt(conversations)})::float8 * 1000 as "silentMs"`;

/**
 * Returns undefined for a deleted device. Messages are oldest first, with `images` also images without a caption. `month` is
 * its first day.
 */
export async function selectConversationContexts(
  db: Database,
  claims: readonly Claim[],
  { month, images }: { month: string; images: boolean },
): Promise<(ConversationContext | undefined)[]> {
  const { rows } = await sql<ConversationContext & { conversationId: string }>`
    select c.id as "conversationId", d.bot_id as "botId", t.banned, ${textSetting('locale')} as locale,
           ${textSetting('timezone')} as "timeZone", ${numberSetting('human_takeover_minutes')} as "humanTakeoverMinutes",
           nullif(h.hours, 'null') as "openingHours", ${isPaused('c')} as paused, ${hasOptedIn('c')} as "optedIn",
           ${isTester('d.bot_id', 'c.contact_number')} as "isTester", ${creditColumns(month)},
           t.name as "teamName", ${disclosureSetting} as disclosure, ${noticeState('c')},
           case when c.attempts > 1 then 0
                else coalesce(extract(epoch from now() - c.answer_due_at)::float8 * 1000, 0) end as "overdueMs",
           (select json_build_object('line', a.trace->>'line', 'sentMs', m."sentMs",
                                     'agoMs', extract(epoch from now() - a.created_at)::float8 * 1000)
            from (${latestAnsweredMessage('c')}) m join answers a on a.id = m.answer_id) as previous,
           coalesce((select json_agg(w order by w.seq) from (${unansweredMessages('c')}) w), '[]') as unanswered,
           coalesce((${historyOf('c', { images })}), '[]') as history,
           coalesce((${recentMessages('c', recentMessageCount)}), '[]') as recent,
           coalesce((select json_agg(t order by t.position) from (${storedToolCalls('c')}) t), '[]') as "toolCalls"
    from unnest((select ${claims.map(({ conversationId }) => conversationId)}::uuid[])) as claimed (id)
    join conversations c using (id) join devices d on d.id = c.device_id join teams t on t.id = d.team_id
    join plans p on p.name = t.plan_name left join opening_hours h on h.team_id = t.id`.execute(db);
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
  const { rows } = await sql<{ history: HistoryMessage[] }>`
    select coalesce((${historyOf('chat')}), '[]') as history
    from (select ${deviceId}::uuid as device_id, ${contactNumber} as contact_number) chat`.execute(db);
  return rows[0]?.history ?? [];
}

export async function selectNoticeState(
  db: Database,
  { deviceId, contactNumber }: Pick<Claim, 'deviceId' | 'contactNumber'>,
): Promise<Pick<NoticeContext, 'noticed' | 'silentMs'>> {
  const { rows } = await sql<Pick<NoticeContext, 'noticed' | 'silentMs'>>`
    select ${noticeState('c')} from conversations c
    where c.device_id = ${deviceId} and c.contact_number = ${contactNumber}`.execute(db);
  return rows[0] ?? { noticed: false, silentMs: null };
}
