import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { lockTimeout500ms } from '../database/lock-timeout.ts';
import { isLeaseValid } from '../pool/leases.sql.ts';

/** What a pool must hold to write about a device: whoever owns it later has a higher epoch. */
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
}

/** The devices that this pool should hold a session of: all, or those of `ids`. One that is to be unlinked waits. */
export async function selectStarted(
  db: Database,
  poolId: string,
  ids: readonly string[] | null,
): Promise<HostedRow[]> {
  const { rows } = await sql<HostedRow>`
    select d.id, d.team_id, d.epoch from devices d join teams t on t.id = d.team_id
    where d.pool_id = ${poolId} and d.status = 'started' and not t.banned
      and ${ids === null ? sql`true` : sql`d.id = any(${ids}::uuid[])`}
      and not exists (select from tombstones where kind = 'session' and ref = d.id::text)
    order by d.id`.execute(db);
  return rows;
}

/** Of a row of `devices`: it is this owner's, whose lease holds. What is written under it is waited for by a takeover. */
export const isOwned = (owner: Ownership) => sql`
  pool_id = ${owner.poolId} and epoch = ${owner.epoch}
  and exists (select from pools where pools.id = ${owner.poolId} and ${isLeaseValid('pools')})`;

/**
 * Selects position 1 and keeps the device this owner's, and started, until the end of the transaction. Nothing when it is
 * not. Its team is held first, as by whoever removes a team.
 */
export const lockOwned = (owner: Ownership): RawBuilder<{ position: number }> => sql`
  with team as materialized (select id from teams where id = ${owner.teamId} for key share)
  select 1 as position from team join devices on devices.team_id = team.id
  where devices.id = ${owner.deviceId} and status = 'started' and ${isOwned(owner)}
  for key share of devices`;

/**
 * The same for many at once, by their positions from 1 on, without waiting: those that somebody else has locked are left
 * out, too. Of a device that was taken over, the owner before may be among them.
 */
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
  where exists (select from pools where pools.id = owner.pool_id and ${isLeaseValid('pools')})
  for key share of devices skip locked`;

/** Whether the device is held by its owner now, until the end of the transaction. */
export async function lockIfOwned(tx: Transaction, owner: Ownership): Promise<boolean> {
  const { rows } = await lockOwned(owner).execute(tx);
  return rows.length === 1;
}

/**
 * One fenced statement about a session's device: it writes while the pool owns the device under this epoch and the
 * device is started. False when it wrote nothing.
 */
async function write(db: Database, owner: Ownership, assignments: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await sql`
    update devices set ${assignments}
    where id = ${owner.deviceId} and ${isOwned(owner)} and status = 'started'
    returning id`.execute(db);
  return rows.length === 1;
}

/** A network that shows a code knows no link. */
export const writeQr = (db: Database, owner: Ownership, code: { text: string; expiresAt: Date }) =>
  write(
    db,
    owner,
    sql`qr_text = ${code.text}, qr_expires_at = ${code.expiresAt}, connected = false, logged_in = false,
        phone_number = null`,
  );

/** Throws a unique violation of `devices_linked_phone` when another device is linked to the phone. */
export const writePaired = (db: Database, owner: Ownership, phoneNumber: string) =>
  write(
    db,
    owner,
    sql`logged_in = true, phone_number = ${phoneNumber}, qr_text = null, qr_expires_at = null, updated_at = now()`,
  );

const up = (phoneNumber: RawBuilder<unknown>) => sql`
  connected = true, logged_in = true, phone_number = ${phoneNumber}, qr_text = null, qr_expires_at = null,
  updated_at = now()`;

export const writeConnected = (db: Database, owner: Ownership, phoneNumber: string) =>
  write(db, owner, up(sql`${phoneNumber}`));

/** A device that came up, linked to this phone. */
export interface ConnectedDevice {
  owner: Ownership;
  phoneNumber: string;
}

/**
 * The same for many at once. Answers those it wrote: beside what its owner does not hold, one that somebody is changing
 * is left out. A phone that somebody else is just linking is waited for only briefly while it holds the others.
 */
export async function writeConnectedTogether(
  db: Database,
  arrivals: readonly ConnectedDevice[],
): Promise<Set<ConnectedDevice>> {
  const owners = arrivals.map(({ owner }) => owner);
  const { rows } = await sql<{ position: number }>`
    with held as (
      select d.id, up.phone_number, up.position
      from ${lockTimeout500ms},
           unnest(${owners.map(({ deviceId }) => deviceId)}::uuid[], ${owners.map(({ poolId }) => poolId)}::uuid[],
                  ${owners.map(({ epoch }) => epoch)}::int[], ${arrivals.map(({ phoneNumber }) => phoneNumber)}::text[])
             with ordinality as up (device_id, pool_id, epoch, phone_number, position)
      join devices d on d.id = up.device_id and d.pool_id = up.pool_id and d.epoch = up.epoch and d.status = 'started'
      where exists (select from pools where pools.id = up.pool_id and ${isLeaseValid('pools')})
      for no key update of d skip locked
    )
    update devices set ${up(sql`held.phone_number`)} from held where devices.id = held.id
    returning held.position`.execute(db);
  const written = new Set(rows.map(({ position }) => position));
  return new Set(arrivals.filter((_, n) => written.has(n + 1)));
}

/** The device stays started. Failures to come back leave the time of the disconnection as it is. */
export const writeDown = (db: Database, owner: Ownership, reason: string) =>
  write(
    db,
    owner,
    sql`last_disconnect_at = case when connected or last_disconnect_reason is distinct from ${reason} then now()
                                  else last_disconnect_at end,
        last_disconnect_reason = ${reason}, connected = false, qr_text = null, qr_expires_at = null`,
  );

const stopped = (reason: string) => sql`
  status = 'stopped', connected = false, qr_text = null, qr_expires_at = null, updated_at = now(),
  last_disconnect_reason = ${reason}, last_disconnect_at = now()`;

/** Back to stopped, whatever link there is being kept. */
export const writeStopped = (db: Database, owner: Ownership, reason: string) =>
  write(db, owner, stopped(reason));

/** Stopped, and the credentials are void: they go with the same statement. */
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
      where id = ${owner.deviceId} and ${isOwned(owner)} and status = 'started'
      returning id
    ), wiped as (
      delete from device_sessions where device_id in (select id from unlinked)
    )
    select id from unlinked`.execute(db);
  return rows.length === 1;
}

/** The unique index that keeps a phone from being linked twice. */
export const isPhoneInUse = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'devices_linked_phone';
