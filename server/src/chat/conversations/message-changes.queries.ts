import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/database.ts';

interface Chat {
  deviceId: string;
  contactNumber: string;
}

/** Locks the conversation against its answer. Returns whether an answer in progress has called actions. */
export async function lockConversation(tx: Transaction, { deviceId, contactNumber }: Chat): Promise<boolean> {
  const { rows } = await sql<{ hasCalls: boolean }>`
    select exists (select from tool_calls t where t.conversation_id = c.id) as "hasCalls" from conversations c
    where c.device_id = ${deviceId} and c.contact_number = ${contactNumber} for no key update of c`.execute(
    tx,
  );
  return rows[0]?.hasCalls ?? false;
}

/** A worker that is answering loses its claim, and the next one begins again. The attempt does not count. */
export async function restartAnswer(tx: Transaction, { deviceId, contactNumber }: Chat): Promise<void> {
  await sql`
    update conversations set claim_fence = claim_fence + 1, claimed_until = null, attempts = greatest(attempts - 1, 0)
    where device_id = ${deviceId} and contact_number = ${contactNumber} and claimed_until is not null`.execute(
    tx,
  );
}
