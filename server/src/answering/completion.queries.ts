import { type RawBuilder, sql } from 'kysely';
import type { Claim } from '../conversations/claims.sql.ts';
import type { Database, Transaction } from '../database/database.ts';
import { lockTimeout500ms } from '../database/lock-timeout.ts';
import { prepare } from '../database/prepare.ts';
import { effectiveQuota } from '../teams/teams.sql.ts';

type ClaimColumns = { ids: readonly string[]; fences: readonly number[] };

const standing = (value: (name: keyof ClaimColumns) => unknown) => sql`
  unnest(${value('ids')}::uuid[], ${value('fences')}::bigint[]) as claim (id, fence)
  join conversations c on c.id = claim.id and c.claim_fence = claim.fence and c.claimed_until is not null`;

const lockOrWait = prepare<ClaimColumns, object>(
  (value) => sql`select from ${standing(value)} for update of c`,
);

/** Credits that somebody else is just charging are not waited for long. */
const lockOrSkip = prepare<ClaimColumns, { id: string; fence: number }>(
  (value) => sql`
    select c.id, c.claim_fence as fence
    from ${lockTimeout500ms}, ${standing(value)}
    for update of c skip locked`,
);

const columnsOf = (claims: readonly Claim[]): ClaimColumns => ({
  ids: claims.map(({ conversationId }) => conversationId),
  fences: claims.map(({ fence }) => fence),
});

/**
 * Locks the claim's conversation against messages that come in, until the end of the transaction. False when the claim
 * does not stand any more, as when a person has taken over meanwhile: nothing may be written then.
 */
export async function lockClaim(tx: Transaction, claim: Claim): Promise<boolean> {
  return (await lockOrWait(tx, columnsOf([claim]))).length === 1;
}

/**
 * The same for many, without waiting: those that somebody else has locked are left out, too. Nor does the transaction wait
 * for long from then on. Of a conversation that was claimed again there may be lost claims beside the one that stands.
 */
export async function lockFreeClaims(tx: Transaction, claims: readonly Claim[]): Promise<Set<Claim>> {
  const rows = await lockOrSkip(tx, columnsOf(claims));
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return new Set(claims.filter(({ conversationId, fence }) => fences.get(conversationId) === fence));
}

/** An answer as it is kept. */
interface AnswerRow {
  id: string;
  botId: string;
  version: number;
  answered: boolean;
  credits: number;
  trace: object;
}

/** How a claim ends. `pauseMinutes`: for so long a person takes over. One that `rests` is not due, whatever waits. */
export interface ClaimEnd {
  flag: string | null;
  pauseMinutes: number | null;
  rests: boolean;
}

/**
 * Ends the claims of a relation `ends`. What came in meanwhile keeps a conversation due, unless it rests. A flag stays
 * that says what the conversation holds; one that says why there was no answer goes. `heard`: the ids of what is answered
 * by the same statement.
 */
const finish = (heard: RawBuilder<unknown>) => sql`
  update conversations c set claimed_until = null, attempts = 0,
    flag = coalesce(ends.flag, case when c.flag = 'payment_captured' then c.flag end),
    state = case when ends.pause_minutes is null then c.state else 'paused' end,
    paused_until = case when ends.pause_minutes is null then c.paused_until
                        else now() + make_interval(mins => ends.pause_minutes) end,
    answer_due_at = case
      when not ends.rests and ends.pause_minutes is null and exists (
        select from messages m
        where m.device_id = c.device_id and m.contact_number = c.contact_number and m.direction = 'in'
          and m.status = 'received' and m.id <> all(${heard})) then coalesce(c.answer_due_at, now()) end
  from ends where c.id = ends.conversation_id and c.claim_fence = ends.fence
  returning c.id, c.answer_due_at is not null as due`;

export async function finishClaim(tx: Transaction, claim: Claim, end: ClaimEnd): Promise<{ due: boolean }> {
  const { rows } = await sql<{ due: boolean }>`
    with ends as (
      select ${claim.conversationId}::uuid as conversation_id, ${claim.fence}::bigint as fence, ${end.flag} as flag,
             ${end.pauseMinutes}::int as pause_minutes, ${end.rests}::boolean as rests
    ) ${finish(sql`array[]::uuid[]`)}`.execute(tx);
  return { due: rows[0]?.due ?? false };
}

/** `heard`: with what voice notes were found to say. */
export interface CompletedAnswer {
  claim: Claim;
  answer: AnswerRow;
  heard: readonly { id: string; text: string }[];
  end: Omit<ClaimEnd, 'rests'>;
}

/** No row for a team whose credits, by the first day of their month, do not suffice. `costs`: of each team, over 0. */
const charge = (costs: RawBuilder<unknown>, month: unknown) => sql`
  insert into monthly_usage as u (team_id, month, credits)
  select t.id, ${month}::date, costs.credits
  from ${costs} join teams t on t.id = costs.team_id join plans p on p.name = t.plan_name
  where costs.credits <= ${effectiveQuota('credits')}
  order by t.id
  for key share of t
  on conflict (team_id, month) do update set credits = u.credits + excluded.credits
    where u.credits + excluded.credits <= (
      select ${effectiveQuota('credits')} from teams t join plans p on p.name = t.plan_name
      where t.id = u.team_id)
  returning u.team_id`;

interface AnswerColumns {
  ids: readonly string[];
  conversationIds: readonly string[];
  fences: readonly number[];
  teamIds: readonly string[];
  deviceIds: readonly string[];
  contactNumbers: readonly string[];
  botIds: readonly string[];
  versions: readonly number[];
  answered: readonly boolean[];
  credits: readonly number[];
  traces: readonly string[];
  flags: readonly (string | null)[];
  pauses: readonly (number | null)[];
  heardIds: readonly string[];
  heardTexts: readonly string[];
  answerIds: readonly string[];
  month: string;
}

const completed = prepare<AnswerColumns, { id: string; due: boolean; charged: boolean }>(
  (value) => sql`
    with ends as materialized (
      select *, false as rests
      from unnest(${value('ids')}::uuid[], ${value('conversationIds')}::uuid[], ${value('fences')}::bigint[],
                  ${value('teamIds')}::uuid[], ${value('deviceIds')}::uuid[], ${value('contactNumbers')}::text[],
                  ${value('botIds')}::uuid[], ${value('versions')}::int[], ${value('answered')}::boolean[],
                  ${value('credits')}::int[], ${value('traces')}::jsonb[], ${value('flags')}::text[],
                  ${value('pauses')}::int[])
             as answer (id, conversation_id, fence, team_id, device_id, contact_number, bot_id, version, answered,
                        credits, trace, flag, pause_minutes)
    ), answer as (
      insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
      select id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace from ends
    ), settled as (
      update messages m set status = 'answered', answer_id = heard.answer_id, text = heard.text
      from unnest(${value('heardIds')}::uuid[], ${value('heardTexts')}::text[], ${value('answerIds')}::uuid[])
             as heard (id, text, answer_id)
      where m.id = heard.id and m.status = 'received'
    ), finished as (${finish(sql`${value('heardIds')}::uuid[]`)}), costs as (
      select team_id, sum(credits)::int as credits from ends where credits > 0 group by team_id
    ), charged as (${charge(sql`costs`, value('month'))})
    select finished.id, finished.due, ends.credits = 0 or exists (
             select from charged where charged.team_id = ends.team_id) as charged
    from finished join ends on ends.conversation_id = finished.id`,
);

/**
 * Keeps answers of different conversations, marks what they answer, ends their claims and charges their teams; the last
 * statement of its transaction but for rare ones, since all answers of a team wait for the row of its credits. Answers
 * each conversation that is due again. Null when the credits of any of the teams do not suffice: the transaction must
 * then be rolled back. `month`: by its first day.
 */
export async function completeAnswers(
  tx: Transaction,
  answers: readonly CompletedAnswer[],
  month: string,
): Promise<Set<string> | null> {
  const heard = answers.flatMap(({ answer, heard }) =>
    heard.map((message) => ({ ...message, answerId: answer.id })),
  );
  const rows = await completed(tx, {
    ids: answers.map(({ answer }) => answer.id),
    conversationIds: answers.map(({ claim }) => claim.conversationId),
    fences: answers.map(({ claim }) => claim.fence),
    teamIds: answers.map(({ claim }) => claim.teamId),
    deviceIds: answers.map(({ claim }) => claim.deviceId),
    contactNumbers: answers.map(({ claim }) => claim.contactNumber),
    botIds: answers.map(({ answer }) => answer.botId),
    versions: answers.map(({ answer }) => answer.version),
    answered: answers.map(({ answer }) => answer.answered),
    credits: answers.map(({ answer }) => answer.credits),
    traces: answers.map(({ answer }) => JSON.stringify(answer.trace)),
    flags: answers.map(({ end }) => end.flag),
    pauses: answers.map(({ end }) => end.pauseMinutes),
    heardIds: heard.map(({ id }) => id),
    heardTexts: heard.map(({ text }) => text),
    answerIds: heard.map(({ answerId }) => answerId),
    month,
  });
  if (rows.some(({ charged }) => !charged)) return null;
  return new Set(rows.filter(({ due }) => due).map(({ id }) => id));
}

/** Charges a team's credits of a month, by its first day, unless they do not suffice: false then. */
export async function chargeCredits(
  db: Database,
  teamId: string,
  month: string,
  cost: number,
): Promise<boolean> {
  const costs = sql`(select ${teamId}::uuid as team_id, ${cost}::int as credits) costs`;
  const { rows } = await charge(costs, month).execute(db);
  return rows.length === 1;
}
