import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { hasTeam, joinTeam } from '../../tenancy/teams/teams.sql.ts';
import type { AnswerCount } from './answer-count.ts';

/**
 * Adds answers to the days of their bots. Needs the CTEs `ends`, with the columns of an `AnswerCount`, `team_id`, `bot_id`, `credits`
 * and `cost`, and `settled`, with `answer_id` and the `created_at` of the messages. The rows are sorted, so that two batches lock
 * those of the same bots in the same order.
 */
export const addToBotDays = sql`
  insert into bot_days as d (team_id, bot_id, day, kind, name, questions, answered, asked_back, declined, handed_over, credits,
                             wait_ms, cost, unpriced)
  select e.team_id, e.bot_id, e.day, part.kind, part.name, count(*), count(*) filter (where e.outcome = 'answered'),
         count(*) filter (where e.outcome = 'asked_back'), count(*) filter (where e.outcome = 'declined'),
         count(*) filter (where e.outcome = 'handed_over'), sum(e.credits), coalesce(sum(waits.ms), 0), coalesce(sum(e.cost), 0),
         count(*) filter (where e.cost is null)
  from ends e
  left join (select answer_id, greatest(0, extract(epoch from now() - min(created_at)) * 1000)::bigint as ms
             from settled group by answer_id) waits on waits.answer_id = e.id
  cross join lateral (values ('all', ''), ('topic', e.topic), ('language', e.language)) part (kind, name)
  where e.day is not null and part.name is not null and ${hasTeam('e.team_id')}
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (team_id, bot_id, day, kind, name) do update set questions = d.questions + excluded.questions,
    answered = d.answered + excluded.answered, asked_back = d.asked_back + excluded.asked_back,
    declined = d.declined + excluded.declined, handed_over = d.handed_over + excluded.handed_over,
    credits = d.credits + excluded.credits, wait_ms = d.wait_ms + excluded.wait_ms, cost = d.cost + excluded.cost,
    unpriced = d.unpriced + excluded.unpriced`;

const dayOf = sql`(a.trace -> 'count' ->> 'day')::date`;

/** Replaces a thumb of the selected answer, also in the day of its bot. Null ends it. */
export const replaceThumb = (
  column: 'rating' | 'contact_rating',
  answerId: RawBuilder<unknown>,
  rating: number | null,
) => sql`
  with rated as materialized (
    select a.id, a.team_id, a.bot_id, ${dayOf} as day, a.${sql.ref(column)} as before from answers a
    where a.id = ${answerId} and a.${sql.ref(column)} is distinct from ${rating}::smallint for no key update
  ), replaced as (
    update answers a set ${sql.ref(column)} = ${rating}::smallint from rated where a.id = rated.id
  )
  update bot_days d set
    thumbs_up = thumbs_up + (${rating}::int is not distinct from 1)::int - (before is not distinct from 1)::int,
    thumbs_down = thumbs_down + (${rating}::int is not distinct from -1)::int - (before is not distinct from -1)::int
  from rated
  where d.team_id = rated.team_id and d.bot_id = rated.bot_id and d.day = rated.day and d.kind = 'all'`;

/**
 * Counts which answers of a team were resolved alone, once each: within a day, no person wrote to the contact, and the contact
 * neither asked about the same again nor for a person. `until` is at least a day ago. `before` is read first, because `advanced` needs
 * it: of two calls at once, one counts nothing.
 */
export async function settleAnswers(
  db: Database,
  { teamId, until }: { teamId: string; until: Date },
): Promise<void> {
  await sql`
    with before as materialized (
      select until from bot_days_settled where team_id = ${teamId} for update
    ), advanced as (
      insert into bot_days_settled as s (team_id, until)
      select t.id, ${until}::timestamptz(3)
      from (select ${teamId}::uuid as team_id) of_team ${joinTeam('of_team.team_id')} left join before on true
      for key share of t
      on conflict (team_id) do update set until = excluded.until
        where s.until = (select until from before) and s.until < excluded.until
      returning team_id
    ), due as materialized (
      select a.bot_id, a.device_id, a.contact_number, a.created_at, ${dayOf} as day, a.trace -> 'count' ->> 'topic' as topic
      from answers a join advanced on advanced.team_id = a.team_id
      where a.created_at > coalesce((select until from before), '-infinity') and a.created_at <= ${until}::timestamptz(3)
        and a.trace -> 'count' ->> 'outcome' = 'answered'
    ), resolved as (
      select bot_id, day, count(*)::int as answers from due
      where not exists (
        select from messages m
        where m.device_id = due.device_id and m.contact_number = due.contact_number and m.origin = 'person'
          and m.details -> 'automatic' is null
          and m.created_at > due.created_at and m.created_at <= due.created_at + interval '1 day')
      and not exists (
        select from answers later
        where later.device_id = due.device_id and later.contact_number = due.contact_number
          and later.created_at > due.created_at and later.created_at <= due.created_at + interval '1 day'
          and (later.trace -> 'count' ->> 'outcome' = 'handed_over' or later.trace -> 'count' ->> 'topic' = due.topic))
      group by bot_id, day
    )
    update bot_days d set resolved = d.resolved + resolved.answers from resolved
    where d.team_id = ${teamId} and d.bot_id = resolved.bot_id and d.day = resolved.day and d.kind = 'all'`.execute(
    db,
  );
}

export interface DayNumbers {
  questions: number;
  answered: number;
  asked_back: number;
  declined: number;
  handed_over: number;
  resolved: number;
  thumbs_up: number;
  thumbs_down: number;
  credits: number;
  wait_ms: number;
  cost: number;
  unpriced: number;
}

export interface NumbersOf {
  teamId: string;
  /** Null: all bots of the team. */
  botId: string | null;
  /** The first and the last day. */
  since: string;
  until: string;
}

export type Step = 'day' | 'week' | 'month';

const sums = sql`
  sum(questions)::int as questions, sum(answered)::int as answered, sum(asked_back)::int as asked_back,
  sum(declined)::int as declined, sum(handed_over)::int as handed_over, sum(resolved)::int as resolved,
  sum(thumbs_up)::int as thumbs_up, sum(thumbs_down)::int as thumbs_down, sum(credits)::float8 as credits,
  sum(wait_ms)::float8 as wait_ms, sum(cost)::float8 as cost, sum(unpriced)::int as unpriced`;

const isOf = ({ teamId, botId, since, until }: NumbersOf) => sql`
  team_id = ${teamId} and day between ${since}::date and ${until}::date
  ${botId === null ? sql`` : sql`and bot_id = ${botId}`}`;

/** Of each day, week (from Monday) or month that has some. `start` is its first day. */
export async function selectBotDays(
  db: Database,
  of: NumbersOf,
  step: Step,
): Promise<(DayNumbers & { start: string })[]> {
  const { rows } = await sql<DayNumbers & { start: string }>`
    select to_char(date_trunc(${step}, day), 'YYYY-MM-DD') as start, ${sums}
    from bot_days where ${isOf(of)} and kind = 'all' group by 1 order by 1`.execute(db);
  return rows;
}

export type NamedNumbers = Pick<DayNumbers, keyof AnswerOutcomes | 'questions'> & {
  kind: 'topic' | 'language';
  name: string;
};
type AnswerOutcomes = Record<AnswerCount['outcome'], number>;

/** The topics and the languages with most questions, `limit` of each. */
export async function selectNamedDays(db: Database, of: NumbersOf, limit: number): Promise<NamedNumbers[]> {
  const { rows } = await sql<NamedNumbers>`
    select kind, name, questions, answered, asked_back, declined, handed_over from (
      select kind, name, ${sums}, row_number() over (partition by kind order by sum(questions) desc, name) as place
      from bot_days where ${isOf(of)} and kind <> 'all' group by kind, name
    ) named where place <= ${limit} order by kind, place`.execute(db);
  return rows;
}

/** Until when it is counted which answers were resolved alone. */
export async function selectSettled(db: Database, teamId: string): Promise<Date | null> {
  const { rows } = await sql<{ until: Date }>`
    select until from bot_days_settled where team_id = ${teamId}`.execute(db);
  return rows[0]?.until ?? null;
}
