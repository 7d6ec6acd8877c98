import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';

export async function markWaitingIgnored(
  tx: Transaction,
  { deviceId, contactNumber }: { deviceId: string; contactNumber: string },
): Promise<void> {
  await sql`
    update messages set status = 'ignored'
    where device_id = ${deviceId} and contact_number = ${contactNumber} and direction = 'in' and status = 'received'`.execute(
    tx,
  );
}
