import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { lockTimeout500ms } from '../database/lock-timeout.ts';
import { prepare } from '../database/prepare.ts';
import { hasUnanswered } from '../messages/messages.sql.ts';

/** A conversation that only this worker may answer while the fence is current. */
export interface Claim {
  conversationId: string;
  teamId: string;
  deviceId: string;
  contactNumber: string;
  /** Increases with each claim, postponement and human takeover. */
  fence: number;
  /** Includes this one. Reset by an answer and by a human takeover. */
  attempts: number;
}

export async function claimDue(db: Database, limit: number, leaseSeconds: number): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    with due as (
      select id from conversations
      where answer_due_at <= now() and (claimed_until is null or claimed_until <= now())
      order by answer_due_at limit ${limit} for update skip locked
    )
    update conversations c set claim_fence = c.claim_fence + 1, attempts = c.attempts + 1,
                               claimed_until = now() + make_interval(secs => ${leaseSeconds})
    from due where c.id = due.id
    returning c.id as "conversationId", c.team_id as "teamId", c.device_id as "deviceId",
              c.contact_number as "contactNumber", c.claim_fence as fence, c.attempts`.execute(db);
  return rows;
}

/** Returns the milliseconds until the next unclaimed conversation is due, or null. */
export async function selectNextDue(db: Database): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(extract(epoch from answer_due_at - now()) * 1000, 0)::float8 as ms from conversations
    where answer_due_at is not null and claimed_until is null
    order by answer_due_at limit 1`.execute(db);
  return rows[0]?.ms ?? null;
}

const isCurrentClaim = sql`c.id = claims.id and c.claim_fence = claims.fence and c.claimed_until is not null`;

/** Renews current claims and returns the lost ones. Skips locked conversations until the next renewal. */
export async function renewClaims(
  db: Database,
  claims: readonly Claim[],
  leaseSeconds: number,
): Promise<Claim[]> {
  const { rows } = await sql<{ position: number }>`
    with claims as materialized (
      select * from unnest(${claims.map(({ conversationId }) => conversationId)}::uuid[],
                           ${claims.map(({ fence }) => fence)}::bigint[]) with ordinality as claims (id, fence, position)
    ), free as (
      select c.id from conversations c, claims where ${isCurrentClaim} for no key update of c skip locked
    ), renewed as (
      update conversations c set claimed_until = now() + make_interval(secs => ${leaseSeconds})
      from free where c.id = free.id
    )
    select claims.position::int from claims where not exists (
      select from conversations c where ${isCurrentClaim})`.execute(db);
  const lost = new Set(rows.map(({ position }) => position - 1));
  return claims.filter((_, index) => lost.has(index));
}

/** Ends the claim after a failure. Does nothing if the claim has already ended, for example with a stored answer. */
export async function postponeClaim(
  db: Database,
  claim: Claim,
  { seconds, flag }: { seconds: number; flag: string | null },
): Promise<void> {
  await sql`
    update conversations set claimed_until = now() + make_interval(secs => ${seconds}),
                             claim_fence = claim_fence + 1, flag = coalesce(${flag}, flag)
    where id = ${claim.conversationId} and claim_fence = ${claim.fence} and claimed_until is not null`.execute(
    db,
  );
}

/** Ends the claim without counting the attempt. */
export async function releaseClaim(db: Database, claim: Claim): Promise<void> {
  await sql`
    update conversations set claimed_until = null, attempts = greatest(attempts - 1, 0)
    where id = ${claim.conversationId} and claim_fence = ${claim.fence}`.execute(db);
}

type ClaimColumns = { ids: readonly string[]; fences: readonly number[] };

const currentClaims = (value: (name: keyof ClaimColumns) => unknown) => sql`
  unnest(${value('ids')}::uuid[], ${value('fences')}::bigint[]) as claim (id, fence)
  join conversations c on c.id = claim.id and c.claim_fence = claim.fence and c.claimed_until is not null`;

const lockOrWait = prepare<ClaimColumns, object>(
  (value) => sql`select from ${currentClaims(value)} for update of c`,
);

/** The timeout also limits the wait for credits that another transaction charges. */
const lockOrSkip = prepare<ClaimColumns, { id: string; fence: number }>(
  (value) => sql`
    select c.id, c.claim_fence as fence
    from ${lockTimeout500ms}, ${currentClaims(value)}
    for update of c skip locked`,
);

const toColumns = (claims: readonly Claim[]): ClaimColumns => ({
  ids: claims.map(({ conversationId }) => conversationId),
  fences: claims.map(({ fence }) => fence),
});

/** Locks the conversation against inbound messages. Returns false if the claim is lost; the caller must then write nothing. */
export async function lockClaim(tx: Transaction, claim: Claim): Promise<boolean> {
  return (await lockOrWait(tx, toColumns([claim]))).length === 1;
}

/** Locks the conversations of current claims, skips locked ones and limits later lock waits of the transaction. */
export async function lockFreeClaims(tx: Transaction, claims: readonly Claim[]): Promise<Set<Claim>> {
  const rows = await lockOrSkip(tx, toColumns(claims));
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return new Set(claims.filter(({ conversationId, fence }) => fences.get(conversationId) === fence));
}

/** `pauseMinutes` is set on a human takeover. If `staysIdle`, the conversation is not due even with unanswered messages. */
export interface ClaimEnd {
  flag: string | null;
  pauseMinutes: number | null;
  staysIdle: boolean;
}

/**
 * Ends the claims of a relation `ends`. New messages keep a conversation due, except where `ends.rests`. The flag
 * `payment_captured` stays. `answeredIds` selects the messages that the same statement answers.
 */
export const endClaims = (answeredIds: RawBuilder<unknown>) => sql`
  update conversations c set claimed_until = null, attempts = 0,
    flag = coalesce(ends.flag, case when c.flag = 'payment_captured' then c.flag end),
    state = case when ends.pause_minutes is null then c.state else 'paused' end,
    paused_until = case when ends.pause_minutes is null then c.paused_until
                        else now() + make_interval(mins => ends.pause_minutes) end,
    answer_due_at = case
      when not ends.rests and ends.pause_minutes is null and ${hasUnanswered('c', answeredIds)} then coalesce(c.answer_due_at, now()) end
  from ends where c.id = ends.conversation_id and c.claim_fence = ends.fence
  returning c.id, c.answer_due_at is not null as due`;

export async function finishClaim(tx: Transaction, claim: Claim, end: ClaimEnd): Promise<{ due: boolean }> {
  const { rows } = await sql<{ due: boolean }>`
    with ends as (
      select ${claim.conversationId}::uuid as conversation_id, ${claim.fence}::bigint as fence, ${end.flag} as flag,
             ${end.pauseMinutes}::int as pause_minutes, ${end.staysIdle}::boolean as rests
    ) ${endClaims(sql`array[]::uuid[]`)}`.execute(tx);
  return { due: rows[0]?.due ?? false };
}

const outOfCredits = sql`c.flag = 'out_of_credits' and c.answer_due_at is null`;

export const conversationsOutOfCredits = sql`(
  select c.id, c.team_id, c.device_id, c.contact_number, c.state, c.paused_until
  from conversations c where ${outOfCredits}) c`;

/** Makes conversations due that wait for credits. Skips locked conversations; a later run retries them. */
export async function makeDue(db: Database, conversationIds: readonly string[]): Promise<void> {
  await sql`
    with free as (
      select c.id from conversations c where c.id = any(${conversationIds}::uuid[]) and ${outOfCredits}
      for no key update skip locked
    )
    update conversations c set answer_due_at = now() from free where c.id = free.id`.execute(db);
}
