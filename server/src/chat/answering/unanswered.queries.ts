import { sql } from 'kysely';
import { liveBot, livePairQuestions, liveVersionOf } from '../../knowledge/bots/bots.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { joinTeam } from '../../tenancy/teams/teams.sql.ts';
import { questionsOfAnswers } from '../messages/exchanges.sql.ts';

export interface UnansweredRow {
  conversation_id: string;
  message_id: string;
  question: string;
  /** A thumb down. */
  disliked: boolean;
  version: number;
  asked_at: Date;
}

/** Returns the team of the bot and the questions of its published pairs, or undefined if the scope has no such bot. */
export async function selectAnswerable(
  db: Database,
  scope: Scope,
  botId: string,
): Promise<{ teamId: string; liveVersion: number | null; questions: string[] } | undefined> {
  const { rows } = await sql<{ teamId: string; liveVersion: number | null; questions: string[] }>`
    select t.id as "teamId", ${liveVersionOf('b.id')} as "liveVersion", ${livePairQuestions('b.id')} as questions
    from ${liveBot(scope, botId)} ${joinTeam('b.team_id')}`.execute(db);
  return rows[0];
}

/** Newest first. `read` is the number of answers of the team among which they are, `maxAnswers` at most; 0 without any row. */
export async function selectUnanswered(
  db: Database,
  { teamId, botId }: { teamId: string; botId: string },
  { since, maxAnswers, limit }: { since: Date; maxAnswers: number; limit: number },
): Promise<{ rows: UnansweredRow[]; read: number }> {
  const { rows } = await sql<UnansweredRow & { read: number }>`
    with recent as materialized (
      select id, bot_id, version, answered, coalesce(least(rating, contact_rating) = -1, false) as disliked, device_id,
             contact_number, created_at
      from answers
      where team_id = ${teamId} and created_at >= ${since}
      order by created_at desc limit ${maxAnswers}
    ), unanswered as materialized (
      select r.* from recent r join answers a using (id)
      where r.bot_id = ${botId} and (r.disliked or not r.answered) and not a.trace ? 'off_topic'
      order by r.created_at desc limit ${limit}
    )
    select c.id as conversation_id, asked.message_id, asked.question, u.disliked, u.version, u.created_at as asked_at,
           (select count(*)::int from recent) as read
    from unanswered u
    join (${questionsOfAnswers('unanswered')}) asked on asked.answer_id = u.id
    join conversations c on c.device_id = u.device_id and c.contact_number = u.contact_number
    order by u.created_at desc, u.id desc`.execute(db);
  return { rows: rows.map(({ read: _, ...row }) => row), read: rows[0]?.read ?? 0 };
}
