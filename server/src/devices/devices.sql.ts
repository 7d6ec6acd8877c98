import { type SqlBool, sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { timeouts2s } from '../database/lock-timeout.ts';
import { hasStoredSession } from '../pool/device-sessions.sql.ts';

/** Stops devices in an update. The new epoch fences their sessions off at once; their pool closes them. */
export const stopped = sql`
  status = 'stopped', connected = false, epoch = epoch + 1, qr_text = null, qr_expires_at = null, updated_at = now()`;

export const disconnected = (reason: string) => sql`
  last_disconnect_reason = case when status = 'started' then ${reason} else last_disconnect_reason end,
  last_disconnect_at = case when status = 'started' then now() else last_disconnect_at end`;

export const joinDevice = (column: string) => sql`join devices d on d.id = ${sql.ref(column)}`;

export const hasDevice = (column: string) =>
  sql<SqlBool>`exists (select from devices d where d.id = ${sql.ref(column)})`;

export async function selectDevicesOfBot(tx: Transaction, botId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('devices')
    .select('id')
    .where('bot_id', '=', botId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Stops the devices of a banned team and returns the ids of those that were started. */
export async function stopDevicesOfTeam(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update devices
    set ${disconnected('team_banned')}, ${stopped}
    where team_id = ${teamId} and status <> 'stopped'
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

export async function lockDevicesOfTeam(tx: Transaction, teamId: string): Promise<void> {
  await sql`select from devices where team_id = ${teamId} order by id for update`.execute(tx);
}

/** The team's devices with stored credentials, for a `from` clause. */
export const devicesWithSessions = (teamId: string) => sql`
  devices where team_id = ${teamId} and ${hasStoredSession('devices.id')}`;

/** Deletes the team's devices, whose foreign keys protect its bots. A trigger frees their capacity in the pools. */
export async function deleteDevicesOfTeam(tx: Transaction, teamId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from devices using ${timeouts2s} where team_id = ${teamId} returning id`.execute(tx);
  return rows.map((row) => row.id);
}
