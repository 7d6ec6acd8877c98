import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { ignoreUnanswered } from '../messages/messages.sql.ts';

export async function updateUnansweredToIgnored(
  tx: Transaction,
  { deviceId, contactNumber }: { deviceId: string; contactNumber: string },
): Promise<void> {
  await sql`
    with ended as (
      update conversations set claim_fence = claim_fence + 1, claimed_until = null, attempts = 0
      where device_id = ${deviceId} and contact_number = ${contactNumber}
    )
    ${ignoreUnanswered({ deviceId, contactNumber })}`.execute(tx);
}
