import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';

/** Answers of a team have an index by time, those of a bot have none. */
const mostRead = 5_000;

export interface Citations {
  /** The answers of the bot among the newest ones of its team. */
  answers: number;
  /** How many of them are from each pair, by its question. */
  pairs: Record<string, number>;
  /** How many quote each document, by its id. */
  documents: Record<string, number>;
}

/** Counts from what the newest answers of a bot are. */
export async function selectCitations(
  db: Database,
  { teamId, botId }: { teamId: string; botId: string },
): Promise<Citations> {
  const { rows } = await sql<Citations>`
    with newest as materialized (
      select id, trace from (
        select id, bot_id, trace from answers where team_id = ${teamId} order by created_at desc limit ${mostRead}) of_team
      where bot_id = ${botId}
    ), pair as (
      select trace -> 'pair' ->> 'question' as name, count(*) as answers from newest
      where trace -> 'pair' ->> 'question' is not null group by 1
    ), document as (
      select passage ->> 'document_id' as name, count(distinct id) as answers
      from newest, jsonb_path_query(trace, '$.passages[*]') passage
      where passage ->> 'document_id' is not null group by 1
    )
    select (select count(*)::int from newest) as answers,
           coalesce((select jsonb_object_agg(name, answers) from pair), '{}') as pairs,
           coalesce((select jsonb_object_agg(name, answers) from document), '{}') as documents`.execute(db);
  return rows[0] ?? { answers: 0, pairs: {}, documents: {} };
}
