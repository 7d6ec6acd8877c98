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
