import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { isPaused } from '../database/pauses.ts';
import { effectiveQuota } from '../database/team-terms.ts';
import type { Claim } from './claims.queries.ts';

/**
 * Locks the claim's conversation against messages that come in, until the end of the transaction. Undefined when the
 * claim does not stand any more: nothing may be written then.
 */
export async function lockClaim(tx: Transaction, claim: Claim): Promise<{ paused: boolean } | undefined> {
  const { rows } = await sql<{ paused: boolean }>`
    select ${isPaused('conversations')} as paused from conversations
    where id = ${claim.conversationId} and claim_fence = ${claim.fence} for update`.execute(tx);
  return rows[0];
}

/** An answer as it is kept. */
export interface AnswerRow {
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
 * Ends the claim. What came in meanwhile keeps the conversation due, unless it rests. A flag stays that says what the
 * conversation holds; one that says why there was no answer goes. `heard`: answered by the same statement.
 */
const finish = (claim: Claim, end: ClaimEnd, heard: readonly string[]) => sql`
  update conversations c set claimed_until = null, attempts = 0,
    flag = coalesce(${end.flag}, case when flag = 'payment_captured' then flag end),
    state = case when ${end.pauseMinutes}::int is null then state else 'paused' end,
    paused_until = case when ${end.pauseMinutes}::int is null then paused_until
                        else now() + make_interval(mins => ${end.pauseMinutes}::int) end,
    answer_due_at = case
      when not ${end.rests}::boolean and ${end.pauseMinutes}::int is null and exists (
        select from messages m
        where m.device_id = c.device_id and m.contact_number = c.contact_number and m.direction = 'in'
          and m.status = 'received' and m.id <> all(${heard}::uuid[])) then coalesce(answer_due_at, now()) end
  where id = ${claim.conversationId} and claim_fence = ${claim.fence}
  returning answer_due_at is not null as due`;

export async function finishClaim(tx: Transaction, claim: Claim, end: ClaimEnd): Promise<{ due: boolean }> {
  const { rows } = await sql<{ due: boolean }>`${finish(claim, end, [])}`.execute(tx);
  return { due: rows[0]?.due ?? false };
}

/**
 * Keeps the answer, marks what it answers, ends the claim and charges the team; the last statement of its transaction,
 * since all answers of a team wait for the row of its credits. `heard`: with what voice notes were found to say. Null
 * when the credits do not suffice: the transaction must then be rolled back.
 */
export async function completeAnswer(
  tx: Transaction,
  claim: Claim,
  completed: {
    answer: AnswerRow;
    heard: readonly { id: string; text: string }[];
    end: ClaimEnd;
    month: string;
  },
): Promise<{ due: boolean } | null> {
  const { answer, heard, end, month } = completed;
  const heardIds = heard.map(({ id }) => id);
  const { rows } = await sql<{ due: boolean; charged: boolean }>`
    with answer as (
      insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
      values (${answer.id}::uuid, ${claim.teamId}::uuid, ${answer.botId}::uuid, ${answer.version}, ${claim.deviceId}::uuid,
              ${claim.contactNumber}, ${answer.answered}, ${answer.credits}, ${JSON.stringify(answer.trace)}::jsonb)
    ), settled as (
      update messages m set status = 'answered', answer_id = ${answer.id}::uuid, text = heard.text
      from unnest(${heardIds}::uuid[], ${heard.map(({ text }) => text)}::text[]) as heard (id, text)
      where m.id = heard.id and m.status = 'received'
    ), finished as (${finish(claim, end, heardIds)}), charged as (
      ${charge(claim.teamId, month, answer.credits)}
    )
    select (select due from finished) as due,
           ${answer.credits}::int = 0 or exists (select from charged) as charged`.execute(tx);
  const [written] = rows;
  return written?.charged ? { due: written.due } : null;
}

/** No row when the credits, by the first day of their month, do not suffice; none either where nothing is charged. */
const charge = (teamId: string, month: string, cost: number) => sql`
  insert into monthly_usage as u (team_id, month, credits)
  select t.id, ${month}::date, ${cost}::int from teams t join plans p on p.name = t.plan_name
  where t.id = ${teamId} and ${cost}::int > 0 and ${cost}::int <= ${effectiveQuota('credits')}
  for key share of t
  on conflict (team_id, month) do update set credits = u.credits + excluded.credits
    where u.credits + excluded.credits <= (
      select ${effectiveQuota('credits')} from teams t join plans p on p.name = t.plan_name
      where t.id = ${teamId})
  returning u.team_id`;

/** Charges a team's credits of a month, by its first day, unless they do not suffice: false then. */
export async function chargeCredits(
  db: Database,
  teamId: string,
  month: string,
  cost: number,
): Promise<boolean> {
  const { rows } = await charge(teamId, month, cost).execute(db);
  return rows.length === 1;
}
