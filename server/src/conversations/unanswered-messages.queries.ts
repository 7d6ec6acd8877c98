import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';

export async function updateUnansweredToIgnored(
  tx: Transaction,
  { deviceId, contactNumber }: { deviceId: string; contactNumber: string },
): Promise<void> {
  await sql`
    with ended as (
      update conversations set claim_fence = claim_fence + 1, claimed_until = null, attempts = 0
      where device_id = ${deviceId} and contact_number = ${contactNumber}
    )
    update messages set status = 'ignored'
    where device_id = ${deviceId} and contact_number = ${contactNumber} and direction = 'in' and status = 'received'`.execute(
    tx,
  );
}
