import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { isUnlinkScheduled } from '../external-cleanup/external-cleanup.sql.ts';

export const hasStoredSession = (column: string) => sql<SqlBool>`exists (
  select from device_sessions where device_id = ${sql.ref(column)})`;

export const deleteSessions = (deviceIds: RawBuilder<unknown>) =>
  sql`delete from device_sessions where device_id in (${deviceIds})`;

/** Deletes credentials of an interrupted pairing, but keeps those that a scheduled unlink needs. */
export async function deleteUnlinkedSession(tx: Transaction, deviceId: string): Promise<void> {
  await sql`
    delete from device_sessions where device_id = ${deviceId}
      and not ${isUnlinkScheduled(deviceId)}`.execute(tx);
}

/** Keys of the encryption with a contact carry the contact's number. The network agrees on new ones when needed. */
export async function deleteSessionEntriesOf(
  tx: Transaction,
  deviceIds: readonly string[],
  address: string,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from device_sessions
    where device_id = any(${deviceIds}::uuid[]) and strpos(entry_id, ${address.replace(/^\+|^\w+:|@.*$/gs, '')}) > 0`.execute(
    tx,
  );
  return Number(numAffectedRows);
}
