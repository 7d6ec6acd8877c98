import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { insertedConversationEvents } from '../../records/events/events.sql.ts';
import type { Claim } from './claims.sql.ts';

/** A tool call for the messages that start with `firstMessageId`. */
export interface ToolCallRow {
  firstMessageId: string;
  call: object;
  outcome: object | null;
}

export const storedToolCalls = (conversations: string) => sql`
  select t.first_message_id as "firstMessageId", t.position, t.call, t.outcome from tool_calls t
  where t.conversation_id = ${sql.ref(`${conversations}.id`)}`;

/** Locks the conversation, because a worker that claims it at the same time would not see the write. */
const lockedClaim = ({ conversationId, fence }: Claim) => sql`
  select c.id, c.team_id, c.device_id, c.contact_number from conversations c
  where c.id = ${conversationId} and c.claim_fence = ${fence} and c.claimed_until is not null
  for no key update of c`;

/** Returns false and writes nothing if the claim is lost. */
export async function insertToolCalls(
  db: Database,
  claim: Claim,
  { firstMessageId, position, calls }: { firstMessageId: string; position: number; calls: readonly object[] },
): Promise<boolean> {
  const { rows } = await sql`
    insert into tool_calls (conversation_id, first_message_id, position, call)
    select claim.id, ${firstMessageId}, ${position}::int + added.ordinality - 1, added.call
    from (${lockedClaim(claim)}) claim,
         unnest(${calls.map((call) => JSON.stringify(call))}::json[]) with ordinality as added (call, ordinality)
    returning position`.execute(db);
  return rows.length > 0;
}

/** A failed call, for its event. */
export interface FailedToolCall {
  action: string;
  /** The HTTP status, null without a response. */
  status: number | null;
  error: string;
}

/** Returns false and writes nothing if the claim is lost. */
export async function updateToolCall(
  db: Database,
  claim: Claim,
  finished: { firstMessageId: string; position: number; outcome: object; failure: FailedToolCall | null },
): Promise<boolean> {
  const { firstMessageId, position, outcome, failure } = finished;
  const { rows } = await sql`
    with claim as materialized (${lockedClaim(claim)}),
    finished as (
      update tool_calls t set outcome = ${JSON.stringify(outcome)}::json
      from claim where t.conversation_id = claim.id and t.first_message_id = ${firstMessageId} and t.position = ${position}
      returning claim.*)
    ${failure === null ? sql`` : sql`, recorded as (${insertedConversationEvents('action.failed', 'finished', failure)})`}
    select from finished`.execute(db);
  return rows.length > 0;
}

export const deleteToolCalls = (conversationIds: RawBuilder<unknown>) => sql`
  delete from tool_calls where conversation_id in (${conversationIds})`;
