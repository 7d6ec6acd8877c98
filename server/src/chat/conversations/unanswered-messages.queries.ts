import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';
import { type IgnoredBecause, ignoreUnanswered } from '../messages/messages.sql.ts';
import { deleteToolCalls } from './tool-calls.sql.ts';

export async function updateUnansweredToIgnored(
  tx: Transaction,
  { deviceId, contactNumber }: { deviceId: string; contactNumber: string },
  because: IgnoredBecause,
): Promise<void> {
  await sql`
    with ended as (
      update conversations set claim_fence = claim_fence + 1, claimed_until = null, attempts = 0
      where device_id = ${deviceId} and contact_number = ${contactNumber}
      returning id
    ), forgotten as (${deleteToolCalls(sql`select id from ended`)})
    ${ignoreUnanswered({ deviceId, contactNumber }, because)}`.execute(tx);
}

/** Locks them in the order of their ids. */
export async function lockConversationsWith(
  tx: Transaction,
  teamId: string,
  forms: readonly string[],
): Promise<{ deviceId: string; contactNumber: string }[]> {
  const { rows } = await sql<{ deviceId: string; contactNumber: string }>`
    select device_id as "deviceId", contact_number as "contactNumber" from conversations
    where team_id = ${teamId} and contact_number = any(${forms}::text[]) order by id for update`.execute(tx);
  return rows;
}
