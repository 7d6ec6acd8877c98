import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { inScope, type Scope } from '../../platform/database/scopes.ts';
import { joinAsked, lastQuestionOfAnswer, repliesOfAnswer, spokenUntil } from '../messages/exchanges.sql.ts';
import type { CallWithResult } from './conversation-context.queries.ts';
import type { AnswerTrace } from './trace.ts';

/** A question of a contact with the messages before it, and the reply of the bot. */
export interface Exchange {
  conversationId: string | null;
  /** Null if the message got no answer. */
  botId: string | null;
  messages: { role: 'contact' | 'assistant'; text: string }[];
  reply: string | null;
  answered: boolean | null;
  trace: (AnswerTrace & { calls?: CallWithResult[]; recorded?: CallWithResult[] }) | null;
}

const columns = sql`
  c.id as "conversationId", a.bot_id as "botId", coalesce((${spokenUntil('asked')}), '[]') as messages,
  (${repliesOfAnswer('a')}) as reply, a.answered, a.trace`;

/** `messageId` is a message of a contact, or one of the answer to it. */
export async function selectExchange(
  db: Database | Transaction,
  scope: Scope,
  messageId: string,
): Promise<Exchange | undefined> {
  const { rows } = await sql<Exchange>`
    select ${columns}
    from (${joinAsked(messageId, inScope(scope, 'm.team_id'))}) asked
    left join answers a on a.id = asked.answer_id
    left join conversations c on c.device_id = asked.device_id and c.contact_number = asked.contact_number`.execute(
    db,
  );
  return rows[0];
}

/** The newest questions that the bot replied to, newest first. Without replies to content that it could not read. */
export async function selectRecentExchanges(
  db: Database,
  { teamId, botId }: { teamId: string; botId: string },
  limit: number,
): Promise<Exchange[]> {
  const { rows } = await sql<Exchange>`
    select ${columns}
    from (${newestAnswers(teamId, botId, limit)}) a
    cross join lateral (${lastQuestionOfAnswer('a')}) asked
    left join conversations c on c.device_id = asked.device_id and c.contact_number = asked.contact_number
    order by a.created_at desc, a.id desc`.execute(db);
  return rows;
}

/** Answers of a team have an index by time, those of a bot have none. */
const mostRead = 5_000;

const newestAnswers = (teamId: string, botId: string, limit: number): RawBuilder<unknown> => sql`
  select * from (
    select * from answers where team_id = ${teamId} order by created_at desc limit ${mostRead}
  ) newest
  where bot_id = ${botId} and not trace ?| array['line', 'payments']
  order by created_at desc, id desc limit ${limit}`;
