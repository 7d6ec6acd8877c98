import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { lockTimeout100ms, timeouts2s } from '../../platform/database/lock-timeout.ts';
import { prepare } from '../../platform/database/prepare.ts';
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

export interface ClaimRequest {
  limit: number;
  leaseSeconds: number;
  /** Maximum for a team, less its answers in `running`. */
  limitPerTeam?: number;
  running?: ReadonlyMap<string, number>;
  /** Teams take turns: the team that follows this one is served first. */
  afterTeamId?: string | null;
}

export interface ClaimedDue {
  claims: Claim[];
  /** Whether a team got its whole share, so that more of its conversations may be due. */
  moreMayBeDue: boolean;
  /** The last team that got a claim, for the next request's `afterTeamId`. */
  lastTeamId: string | null;
  /** Milliseconds until an answer falls due that is not due yet, or null. */
  nextDueMs: number | null;
}

/** The index `conversations_claimable` has this expression. */
const claimableAt = sql`greatest(c.answer_due_at, c.claimed_until)`;

const firstOfNextTeam = (condition: RawBuilder<unknown>, wrapped: RawBuilder<unknown>) => sql`(
  select c.team_id, ${claimableAt} as claimable_at, ${wrapped} as wrapped from conversations c
  where c.answer_due_at is not null and ${condition} order by c.team_id, ${claimableAt} limit 1)`;

type ClaimRow = Claim & { position: number; share: number; nextDueMs: number | null };

/**
 * Claims due conversations in equal shares from the teams, oldest first within a team. Visits one index entry per team, so
 * that the number of waiting conversations does not matter. A share that a team does not use is free for the next request.
 */
export async function claimDue(db: Database, request: ClaimRequest): Promise<ClaimedDue> {
  const { limit, leaseSeconds, limitPerTeam = limit, running = new Map() } = request;
  const afterTeamId = request.afterTeamId ?? nilId;
  const { rows } = await sql<ClaimRow | (Record<keyof Claim, null> & Pick<ClaimRow, 'nextDueMs'>)>`
    with recursive visited as (
      select ${afterTeamId}::uuid as team_id, 'infinity'::timestamptz as claimable_at, false as wrapped, 0 as position
      union all
      select next.team_id, next.claimable_at, next.wrapped, v.position + 1 from visited v, lateral (
        ${firstOfNextTeam(sql`c.team_id > v.team_id`, sql`v.wrapped`)}
        union all
        ${firstOfNextTeam(sql`not v.wrapped`, sql`true`)}
        limit 1
      ) next where not next.wrapped or next.team_id <= (select ${afterTeamId}::uuid)
    ), ready as materialized (
      select * from (
        select v.team_id, v.position, (select ${limitPerTeam}::int) - coalesce((
                 select running from unnest((select ${[...running.keys()]}::uuid[]), (select ${[...running.values()]}::int[])) as busy (id, running)
                 where busy.id = v.team_id), 0) as free
        from visited v where v.claimable_at <= now()
      ) team where free > 0 limit (select ${limit}::int)
    ), shares as materialized (
      select team_id, position, least(free, ceil(${limit}::numeric / count(*) over ())) as share from ready
    ), due as materialized (
      select c.id, shares.position, shares.share from shares, lateral (
        select c.id from conversations c
        where c.team_id = shares.team_id and c.answer_due_at is not null and ${claimableAt} <= now()
        order by ${claimableAt} limit shares.share for no key update skip locked
      ) c limit (select ${limit}::int)
    ), claimed as (
      update conversations c set claim_fence = c.claim_fence + 1, attempts = c.attempts + 1,
                                 claimed_until = now() + make_interval(secs => ${leaseSeconds})
      from due where c.id = due.id
      returning c.id as "conversationId", c.team_id as "teamId", c.device_id as "deviceId",
                c.contact_number as "contactNumber", c.claim_fence as fence, c.attempts,
                due.position, due.share::int
    )
    select claimed.*, (
      select extract(epoch from min(answer_due_at) - now())::float8 * 1000 from conversations where answer_due_at > now()
    ) as "nextDueMs"
    from (values (1)) one left join claimed on true order by claimed.position`.execute(db);
  const claims = rows.filter((row) => row.conversationId !== null);
  return {
    claims: claims.map(({ position, share, nextDueMs, ...claim }) => claim),
    moreMayBeDue: claims.some(({ teamId, share }) => count(claims, teamId) >= share),
    lastTeamId: claims.at(-1)?.teamId ?? null,
    nextDueMs: rows[0]?.nextDueMs ?? null,
  };
}

const count = (claims: readonly Claim[], teamId: string): number =>
  claims.filter((claim) => claim.teamId === teamId).length;

const nilId = '00000000-0000-0000-0000-000000000000';

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

/**
 * Ends the claim after a failure. Does nothing if the claim has already ended, for example with a stored answer.
 * Watched by record_conversation_event.
 */
export async function postponeClaim(
  db: Database,
  claim: Claim,
  { seconds, flag, flagReason }: { seconds: number; flag: string | null; flagReason: string | null },
): Promise<void> {
  await sql`
    update conversations set claimed_until = now() + make_interval(secs => ${seconds}),
                             claim_fence = claim_fence + 1, flag = coalesce(${flag}, flag),
                             flagged_at = case when ${flag}::text is null or ${flag} = flag then flagged_at else now() end,
                             flag_reason = case when ${flag}::text is null then flag_reason else ${flagReason} end
    from ${timeouts2s}
    where id = ${claim.conversationId} and claim_fence = ${claim.fence} and claimed_until is not null`.execute(
    db,
  );
}

/** Ends the claim without counting the attempt. */
export async function releaseClaim(db: Database, claim: Claim): Promise<void> {
  await sql`
    update conversations set claimed_until = null, attempts = greatest(attempts - 1, 0) from ${timeouts2s}
    where id = ${claim.conversationId} and claim_fence = ${claim.fence}`.execute(db);
}

type ClaimColumns = { ids: readonly string[]; fences: readonly number[] };

const currentClaims = (value: (name: keyof ClaimColumns) => unknown) => sql`
  unnest(${value('ids')}::uuid[], ${value('fences')}::bigint[]) as claim (id, fence)
  join conversations c on c.id = claim.id and c.claim_fence = claim.fence and c.claimed_until is not null`;

const lockOrWait = prepare<ClaimColumns, object>(
  (value) => sql`select from ${timeouts2s}, ${currentClaims(value)} for update of c`,
);

/** The timeout also limits the wait for credits that another transaction charges. */
const lockOrSkip = prepare<ClaimColumns, { id: string; fence: number }>(
  (value) => sql`
    select c.id, c.claim_fence as fence
    from ${lockTimeout100ms}, ${currentClaims(value)}
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
  /** The kind of the failure behind the flag `provider_failed`. */
  flagReason: string | null;
  pauseMinutes: number | null;
  staysIdle: boolean;
}

/**
 * Ends the claims of a relation `ends`. New messages keep a conversation due, except where `ends.rests`. The flag
 * `payment_captured` stays. `answeredIds` selects the messages that the same statement answers.
 * Watched by record_conversation_event.
 */
export const endClaims = (answeredIds: RawBuilder<unknown>) => sql`
  update conversations c set claimed_until = null, attempts = 0,
    flag = coalesce(ends.flag, case when c.flag = 'payment_captured' then c.flag end),
    flagged_at = case when ends.flag is null or ends.flag = c.flag then c.flagged_at else now() end,
    flag_reason = ends.flag_reason,
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
             ${end.flagReason} as flag_reason, ${end.pauseMinutes}::int as pause_minutes, ${end.staysIdle}::boolean as rests
    ) ${endClaims(sql`array[]::uuid[]`)}`.execute(tx);
  return { due: rows[0]?.due ?? false };
}

/** Why conversations rest until a job finds that they can be answered. Each flag has a partial index. */
export type RestFlag = 'out_of_credits' | 'provider_failed';

const rests = (flag: RestFlag) => sql`c.flag = ${sql.lit(flag)} and c.answer_due_at is null`;

export const restingConversations = (flag: RestFlag) => sql`(
  select c.id, c.team_id, c.device_id, c.contact_number, c.state, c.paused_until, c.flag_reason
  from conversations c where ${rests(flag)}) c`;

/** Makes resting conversations due. Skips locked conversations; a later run retries them. */
export async function makeDue(
  db: Database,
  flag: RestFlag,
  conversationIds: readonly string[],
): Promise<void> {
  await sql`
    with free as (
      select c.id from conversations c where c.id = any(${conversationIds}::uuid[]) and ${rests(flag)}
      for no key update skip locked
    )
    update conversations c set answer_due_at = now() from free where c.id = free.id`.execute(db);
}
