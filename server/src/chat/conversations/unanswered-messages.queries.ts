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
