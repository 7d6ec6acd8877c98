import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** A conversation that this worker alone answers, for as long as its fence stands. */
export interface Claim {
  conversationId: string;
  teamId: string;
  deviceId: string;
  contactNumber: string;
  /** Rises with every claim, when one is postponed, and when a person takes what waits. */
  fence: number;
  /** This one included; 0 again after an answer, and when a person takes over. */
  attempts: number;
}

/** Conversations whose time has come and that nobody holds, those that wait longest first. */
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

/** Milliseconds until the next conversation that nobody holds is due; null when none is. */
export async function selectNextDue(db: Database): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(extract(epoch from answer_due_at - now()) * 1000, 0)::float8 as ms from conversations
    where answer_due_at is not null and claimed_until is null
    order by answer_due_at limit 1`.execute(db);
  return rows[0]?.ms ?? null;
}

const stands = sql`c.id = held.id and c.claim_fence = held.fence and c.claimed_until is not null`;

/**
 * Keeps the claims that still stand, those that have just ended not among them. Answers the ones that do not stand. A
 * conversation that somebody has locked is not waited for, with all the others locked: its claim stands, and is kept the
 * next time.
 */
export async function renewClaims(
  db: Database,
  claims: readonly Claim[],
  leaseSeconds: number,
): Promise<Claim[]> {
  const { rows } = await sql<{ position: number }>`
    with held as materialized (
      select * from unnest(${claims.map(({ conversationId }) => conversationId)}::uuid[],
                           ${claims.map(({ fence }) => fence)}::bigint[]) with ordinality as held (id, fence, position)
    ), free as (
      select c.id from conversations c, held where ${stands} for no key update of c skip locked
    ), renewed as (
      update conversations c set claimed_until = now() + make_interval(secs => ${leaseSeconds})
      from free where c.id = free.id
    )
    select held.position::int from held where not exists (
      select from conversations c where ${stands})`.execute(db);
  const lost = new Set(rows.map(({ position }) => position - 1));
  return claims.filter((_, index) => lost.has(index));
}

/**
 * Ends the claim and lets the conversation wait after a failure; with a flag, the partner sees why. Nothing for a claim
 * that has ended: the answer may have been written when the time for it was just over.
 */
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

/** As if it had never been claimed: somebody else may answer at once. */
export async function releaseClaim(db: Database, claim: Claim): Promise<void> {
  await sql`
    update conversations set claimed_until = null, attempts = greatest(attempts - 1, 0)
    where id = ${claim.conversationId} and claim_fence = ${claim.fence}`.execute(db);
}
