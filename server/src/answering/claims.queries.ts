import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** A conversation that this worker alone answers, for as long as its fence stands. */
export interface Claim {
  conversationId: string;
  teamId: string;
  deviceId: string;
  contactNumber: string;
  /** Rises with every claim, and when one ends with a pause. */
  fence: number;
  /** This one included; 0 again after an answer. */
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

/** Keeps the claims that still stand, those that have just ended not among them. Answers the ones that do not stand. */
export async function renewClaims(
  db: Database,
  claims: readonly Claim[],
  leaseSeconds: number,
): Promise<Claim[]> {
  const { rows } = await sql<{ id: string; fence: number }>`
    update conversations c set claimed_until = now() + make_interval(secs => ${leaseSeconds})
    from unnest(${claims.map(({ conversationId }) => conversationId)}::uuid[],
                ${claims.map(({ fence }) => fence)}::bigint[]) as held (id, fence)
    where c.id = held.id and c.claim_fence = held.fence and c.claimed_until is not null
    returning c.id, held.fence`.execute(db);
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return claims.filter(({ conversationId, fence }) => fences.get(conversationId) !== fence);
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
export async function handBackClaim(db: Database, claim: Claim): Promise<void> {
  await sql`
    update conversations set claimed_until = null, attempts = greatest(attempts - 1, 0)
    where id = ${claim.conversationId} and claim_fence = ${claim.fence}`.execute(db);
}
