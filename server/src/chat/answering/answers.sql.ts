import { sql } from 'kysely';
import {
  type ContactOf,
  deleteRowsOfTeam,
  type Expired,
  isOfContact,
} from '../../platform/database/bulk-rows.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';

export const deleteAnswersOfTeam = deleteRowsOfTeam('answers');

export async function deleteExpiredAnswers(db: Database, expired: Expired): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from answers where id = any(array(
      select id from answers where team_id = ${expired.teamId} and created_at < ${expired.before}
      order by created_at limit ${expired.limit} for update skip locked))`.execute(db);
  return Number(numAffectedRows);
}

export async function deleteAnswersOfContact(tx: Transaction, contact: ContactOf): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from answers where ${isOfContact(contact)}`.execute(tx);
  return Number(numAffectedRows);
}

export interface ExportedAnswer {
  rating: number | null;
  contact_rating: number | null;
  id: string;
  bot_id: string;
  answered: boolean;
  trace: object;
  created_at: Date;
  /** Of this answer and all newer ones. */
  trace_bytes: string;
}

/** Newest first. Stops after the answer with which the traces take `maxBytes` or more. */
export async function selectAnswersOfContact(
  db: Database | Transaction,
  contact: ContactOf,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<ExportedAnswer[]> {
  const { rows } = await sql<ExportedAnswer>`
    select * from (
      select id, bot_id, answered, rating, contact_rating, trace, created_at,
             sum(octet_length(trace::text)) over (order by created_at desc, id desc rows unbounded preceding) as trace_bytes
      from answers where ${isOfContact(contact)} order by created_at desc, id desc limit ${limit}
    ) answer where trace_bytes - octet_length(trace::text) < ${maxBytes} order by created_at desc, id desc`.execute(
    db,
  );
  return rows;
}

interface BotAnswerCounts {
  answers: number;
  /** Refusals of a model, because the question was outside the purpose of the bot. */
  offTopic: number;
}

/** By the id of the bot. */
export async function countAnswersOfBots(
  db: Database,
  teamId: string,
  { since, until }: { since: Date; until: Date },
): Promise<ReadonlyMap<string, BotAnswerCounts>> {
  const { rows } = await sql<{ botId: string } & BotAnswerCounts>`
    select bot_id as "botId", count(*)::int as answers,
           count(*) filter (where trace ? 'off_topic')::int as "offTopic"
    from answers where team_id = ${teamId} and created_at >= ${since} and created_at < ${until}
    group by 1`.execute(db);
  return new Map(rows.map(({ botId, ...counts }) => [botId, counts]));
}

interface AnswerCounts {
  answers: number;
  /** With an answer in the time. */
  conversations: number;
  /** Those whose answers ever carried the notice that a machine answers. */
  noticed: number;
}

export async function countAnswers(
  db: Database,
  teamId: string,
  { since, until }: { since: Date; until: Date },
): Promise<AnswerCounts> {
  const { rows } = await sql<AnswerCounts>`
    select coalesce(sum(chat.answers), 0)::int as answers, count(*)::int as conversations,
           count(c.noticed_at)::int as noticed
    from (select device_id, contact_number, count(*) as answers from answers
          where team_id = ${teamId} and created_at >= ${since} and created_at < ${until}
          group by 1, 2) chat
    left join conversations c using (device_id, contact_number)`.execute(db);
  return rows[0] ?? { answers: 0, conversations: 0, noticed: 0 };
}
