import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';
import { lockTimeout100ms } from '../platform/database/lock-timeout.ts';
import { isUnlinkScheduled } from '../records/external-deletions/external-deletions.sql.ts';
import { joinTeam } from '../tenancy/teams/teams.sql.ts';
import { deleteSessions } from './device-sessions.sql.ts';
import { hasValidLease } from './leases.sql.ts';

/** Fences a pool's writes about a device: a later owner has a higher epoch. */
export interface Ownership {
  deviceId: string;
  teamId: string;
  poolId: string;
  epoch: number;
}

export interface HostedRow {
  id: string;
  team_id: string;
  epoch: number;
  network: string | null;
  pairing_phone_number: string | null;
}

/** Returns devices that need a session, filtered by `ids` if given. Skips devices of banned teams and scheduled unlinks. */
export async function selectStarted(
  db: Database,
  poolId: string,
  ids: readonly string[] | null,
): Promise<HostedRow[]> {
  const { rows } = await sql<HostedRow>`
    select d.id, d.team_id, d.epoch, d.network, d.pairing_phone_number from devices d ${joinTeam('d.team_id')}
    where d.pool_id = ${poolId} and d.status = 'started' and not t.banned
      and ${ids === null ? sql`true` : sql`d.id = any(${ids}::uuid[])`}
      and not ${isUnlinkScheduled(sql`d.id::text`)}
    order by d.id`.execute(db);
  return rows;
}

/** True if the owner still holds the device and its lease is valid. A takeover waits for locks under this condition. */
const isOwned = (owner: Ownership) => sql`
  pool_id = ${owner.poolId} and epoch = ${owner.epoch}
  and ${hasValidLease(owner.poolId)}`;

/**
 * Locks the device until the transaction ends. Selects position 1, or nothing if the device is stopped or has another owner.
 * Locks its team first, like the deletion of a team. Fails after 100 ms of lock wait, like every write here.
 */
export const lockOwned = (owner: Ownership): RawBuilder<{ position: number }> => sql`
  with team as materialized (
    select id from ${lockTimeout100ms}, teams where id = ${owner.teamId} for key share of teams
  )
  select 1 as position from team join devices on devices.team_id = team.id
  where devices.id = ${owner.deviceId} and status = 'started' and ${isOwned(owner)}
  for key share of devices`;

/** Selects the positions, from 1, of the owners that hold their devices. Skips locked rows. */
export const lockOwnedOrSkip = (owners: readonly Ownership[]): RawBuilder<{ position: number }> => sql`
  with owner as materialized (
    select * from unnest(${owners.map(({ deviceId }) => deviceId)}::uuid[], ${owners.map(({ teamId }) => teamId)}::uuid[],
                         ${owners.map(({ poolId }) => poolId)}::uuid[], ${owners.map(({ epoch }) => epoch)}::int[])
                    with ordinality as owner (device_id, team_id, pool_id, epoch, position)
  ), team as materialized (
    select id from teams where id in (select team_id from owner) for key share skip locked
  )
  select owner.position
  from owner join devices on devices.id = owner.device_id and devices.pool_id = owner.pool_id
    and devices.epoch = owner.epoch and devices.status = 'started'
  join team on team.id = devices.team_id
  where ${hasValidLease(sql`owner.pool_id`)}
  for key share of devices skip locked`;

/** Returns false if this owner lost the device. */
export async function lockIfOwned(tx: Transaction, owner: Ownership): Promise<boolean> {
  const { rows } = await lockOwned(owner).execute(tx);
  return rows.length === 1;
}

/** Watched by record_device_event. */
async function write(
  db: Database | Transaction,
  owner: Ownership,
  assignments: ReturnType<typeof sql>,
): Promise<boolean> {
  const { rows } = await sql`
    update devices set ${assignments} from ${lockTimeout100ms}
    where id = ${owner.deviceId} and ${isOwned(owner)} and status = 'started'
    returning id`.execute(db);
  return rows.length === 1;
}

export const writeQr = (db: Database, owner: Ownership, code: { text: string; expiresAt: Date }) =>
  write(
    db,
    owner,
    sql`qr_text = ${code.text}, qr_expires_at = ${code.expiresAt}, connected = false, logged_in = false,
        phone_number = null`,
  );

/**
 * Ends the device's link, too, which must not show another code after the phone unlinks the device. Throws a unique violation of
 * `devices_linked_phone` if another device is linked to the phone.
 */
export const writePaired = (db: Database, owner: Ownership, phoneNumber: string): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const columns = sql`
      logged_in = true, phone_number = ${phoneNumber}, qr_text = null, qr_expires_at = null, updated_at = now()`;
    // Locks the device. A link that is created later is refused.
    if (!(await write(tx, owner, columns))) return false;
    await sql`update device_links set used_at = now() where device_id = ${owner.deviceId} and used_at is null`.execute(
      tx,
    );
    return true;
  });

const connectedColumns = (phoneNumber: RawBuilder<unknown>) => sql`
  connected = true, logged_in = true, phone_number = ${phoneNumber}, qr_text = null, qr_expires_at = null,
  suspended_until = null,
  updated_at = now()`;

export const writeConnected = (db: Database, owner: Ownership, phoneNumber: string | null) =>
  write(db, owner, connectedColumns(sql`${phoneNumber}`));

export interface ConnectedDevice {
  owner: Ownership;
  phoneNumber: string | null;
}

/**
 * Returns the written devices. The timeout limits the wait for a phone that another transaction is linking.
 * Watched by record_device_event.
 */
export async function writeConnectedBatch(
  db: Database,
  arrivals: readonly ConnectedDevice[],
): Promise<Set<ConnectedDevice>> {
  const owners = arrivals.map(({ owner }) => owner);
  const { rows } = await sql<{ position: number }>`
    with owned as (
      select d.id, up.phone_number, up.position
      from ${lockTimeout100ms},
           unnest(${owners.map(({ deviceId }) => deviceId)}::uuid[], ${owners.map(({ poolId }) => poolId)}::uuid[],
                  ${owners.map(({ epoch }) => epoch)}::int[], ${arrivals.map(({ phoneNumber }) => phoneNumber)}::text[])
             with ordinality as up (device_id, pool_id, epoch, phone_number, position)
      join devices d on d.id = up.device_id and d.pool_id = up.pool_id and d.epoch = up.epoch and d.status = 'started'
      where ${hasValidLease(sql`up.pool_id`)}
      for no key update of d skip locked
    )
    update devices set ${connectedColumns(sql`owned.phone_number`)} from owned where devices.id = owned.id
    returning owned.position`.execute(db);
  const written = new Set(rows.map(({ position }) => position));
  return new Set(arrivals.filter((_, n) => written.has(n + 1)));
}

/** The device stays started. Failed reconnects keep the time of the first disconnection. */
export const writeDisconnected = (
  db: Database,
  owner: Ownership,
  reason: string,
  suspendedUntil: Date | null = null,
) =>
  write(
    db,
    owner,
    sql`last_disconnect_at = case when connected or last_disconnect_reason is distinct from ${reason} then now()
                                  else last_disconnect_at end,
        last_disconnect_reason = ${reason}, connected = false, qr_text = null, qr_expires_at = null,
        suspended_until = ${suspendedUntil}`,
  );

export const writeRestriction = (
  db: Database,
  owner: Ownership,
  restriction: { until: Date; reason: string } | null,
) =>
  write(
    db,
    owner,
    sql`new_chats_restricted_until = ${restriction?.until ?? null},
        new_chats_restricted_by = ${restriction?.reason ?? null}`,
  );

export const writeAccount = (
  db: Database,
  owner: Ownership,
  account: { quality: string | null; messagingLimit: number | null },
) => write(db, owner, sql`quality = ${account.quality}, messaging_limit = ${account.messagingLimit}::int`);

const stopped = (reason: string) => sql`
  status = 'stopped', connected = false, qr_text = null, qr_expires_at = null, updated_at = now(),
  last_disconnect_reason = ${reason}, last_disconnect_at = now()`;

export const writeStopped = (db: Database, owner: Ownership, reason: string) =>
  write(db, owner, stopped(reason));

/** Watched by record_device_event. */
export async function writeUnlinked(
  db: Database,
  owner: Ownership,
  reason: string,
  options: { blocked: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    with unlinked as (
      update devices set ${stopped(reason)}, logged_in = false, phone_number = null,
                         blocked = blocked or ${options.blocked}
      from ${lockTimeout100ms}
      where id = ${owner.deviceId} and ${isOwned(owner)} and status = 'started'
      returning id
    ), wiped as (
      ${deleteSessions(sql`select id from unlinked`)}
    )
    select id from unlinked`.execute(db);
  return rows.length === 1;
}

export const isPhoneInUse = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'devices_linked_phone';

/** The account of the device is that of another connected device. */
export const isAccountInUse = (error: unknown): boolean =>
  isPhoneInUse(error) ||
  (error instanceof Error && 'constraint' in error && error.constraint === 'devices_connected_account');

export const lockedDevice = (owner: Ownership) =>
  sql`select id from ${lockTimeout100ms}, devices where id = ${owner.deviceId} and ${isOwned(owner)} for share of devices`;

/** Selects the ids and positions, from 1, of the devices that these owners hold. Skips locked rows. */
export const lockedDevices = (owners: readonly Ownership[]) => sql`
  select d.id, owner.position
  from ${lockTimeout100ms},
       unnest(${owners.map(({ deviceId }) => deviceId)}::uuid[], ${owners.map(({ poolId }) => poolId)}::uuid[],
              ${owners.map(({ epoch }) => epoch)}::int[]) with ordinality as owner (device_id, pool_id, epoch, position)
  join devices d on d.id = owner.device_id and d.pool_id = owner.pool_id and d.epoch = owner.epoch
  where ${hasValidLease(sql`owner.pool_id`)}
  for share of d skip locked`;
