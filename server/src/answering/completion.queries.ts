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

export async function insertAnswer(
  tx: Transaction,
  claim: Claim,
  answer: {
    id: string;
    botId: string;
    version: number;
    answered: boolean;
    credits: number;
    trace: object;
  },
): Promise<void> {
  await sql`
    insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
    values (${answer.id}, ${claim.teamId}, ${answer.botId}, ${answer.version}, ${claim.deviceId}, ${claim.contactNumber},
            ${answer.answered}, ${answer.credits}, ${JSON.stringify(answer.trace)}::jsonb)`.execute(tx);
}

/** `answerId` null: they are left without an answer. `text` is what a voice note was found to say. */
export async function settleInbound(
  tx: Transaction,
  messages: readonly { id: string; text: string }[],
  answerId: string | null,
): Promise<void> {
  await sql`
    update messages m set status = ${answerId === null ? 'ignored' : 'answered'}, answer_id = ${answerId}::uuid,
                          text = heard.text
    from unnest(${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ text }) => text)}::text[])
         as heard (id, text)
    where m.id = heard.id and m.status = 'received'`.execute(tx);
}

/**
 * Ends the claim. What came in meanwhile keeps the conversation due, unless it `rests`. A flag stays that says what the
 * conversation holds; one that says why there was no answer goes.
 */
export async function finishClaim(
  tx: Transaction,
  claim: Claim,
  end: { flag: string | null; pauseMinutes: number | null; rests: boolean },
): Promise<{ due: boolean }> {
  const { rows } = await sql<{ due: boolean }>`
    update conversations c set claimed_until = null, attempts = 0,
      flag = coalesce(${end.flag}, case when flag = 'payment_captured' then flag end),
      state = case when ${end.pauseMinutes}::int is null then state else 'paused' end,
      paused_until = case when ${end.pauseMinutes}::int is null then paused_until
                          else now() + make_interval(mins => ${end.pauseMinutes}::int) end,
      answer_due_at = case
        when not ${end.rests}::boolean and ${end.pauseMinutes}::int is null and exists (
          select from messages m
          where m.device_id = c.device_id and m.contact_number = c.contact_number and m.direction = 'in'
            and m.status = 'received') then coalesce(answer_due_at, now()) end
    where id = ${claim.conversationId} and claim_fence = ${claim.fence}
    returning answer_due_at is not null as due`.execute(tx);
  return { due: rows[0]?.due ?? false };
}

/**
 * Charges a team's credits of a month, by its first day, unless they do not suffice; the last statement of its
 * transaction, since all answers of a team wait for this row. False when they do not.
 */
export async function chargeCredits(
  db: Database | Transaction,
  teamId: string,
  month: string,
  cost: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into monthly_usage as u (team_id, month, credits)
    select t.id, ${month}::date, ${cost}::int from teams t join plans p on p.name = t.plan_name
    where t.id = ${teamId} and ${cost}::int <= ${effectiveQuota('credits')}
    for key share of t
    on conflict (team_id, month) do update set credits = u.credits + excluded.credits
      where u.credits + excluded.credits <= (
        select ${effectiveQuota('credits')} from teams t join plans p on p.name = t.plan_name
        where t.id = ${teamId})
    returning u.team_id`.execute(db);
  return rows.length === 1;
}
