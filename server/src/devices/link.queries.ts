import { sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';

export interface LinkRow {
  device_id: string;
  team_id: string;
  expires_at: Date;
  used: boolean;
}

/** Replaces the device's earlier link. Returns the end of the new one. */
export async function replaceLink(
  tx: Transaction,
  device: { id: string; team_id: string },
  tokenHash: Buffer,
  seconds: number,
): Promise<Date> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into device_links as link (device_id, team_id, token_hash, expires_at)
    values (${device.id}, ${device.team_id}, ${tokenHash}, now() + make_interval(secs => ${seconds}))
    on conflict (device_id) do update
    set token_hash = excluded.token_hash, expires_at = excluded.expires_at, used_at = null
    returning expires_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the link was not stored');
  return row.expires_at;
}

export async function deleteLink(tx: Transaction, deviceId: string): Promise<void> {
  await sql`delete from device_links where device_id = ${deviceId}`.execute(tx);
}

export async function selectLink(db: Database, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`
    select device_id, team_id, expires_at, used_at is not null as used from device_links
    where token_hash = ${tokenHash} and expires_at > now()`.execute(db);
  return rows[0];
}

export async function markLinkUsed(db: Database, deviceId: string): Promise<void> {
  await sql`update device_links set used_at = now() where device_id = ${deviceId} and used_at is null`.execute(
    db,
  );
}
