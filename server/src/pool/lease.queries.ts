import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { isLeaseExpired, isLeaseValid } from './leases.sql.ts';

export async function insertPool(
  db: Database,
  pool: { id: string; url: string; capacity: number; leaseSeconds: number; draining: boolean },
): Promise<void> {
  await sql`
    insert into pools (id, url, capacity, draining, lease_seconds, lease_until)
    values (${pool.id}, ${pool.url}, ${pool.capacity}, ${pool.draining}, ${pool.leaseSeconds},
            now() + make_interval(secs => ${pool.leaseSeconds}))`.execute(db);
}

/** False when the lease is over: the devices may be another pool's by now. */
export async function renewLease(db: Database, poolId: string): Promise<boolean> {
  const { rows } = await sql`
    update pools set lease_until = now() + make_interval(secs => lease_seconds)
    where id = ${poolId} and not ended and not ${isLeaseExpired('pools')} returning id`.execute(db);
  return rows.length === 1;
}

/**
 * Renews a lease that this pool had given up, if nobody may have succeeded it: after the database was away, or a pause.
 * Its devices have no connections now; what was written under the old epochs and comes late is fenced off. False when the
 * lease is over.
 */
export async function resumeLease(
  tx: Transaction,
  { id: poolId, draining }: { id: string; draining: boolean },
): Promise<boolean> {
  // Devices before pools, as by whoever deletes them; those that somebody is changing have nothing to be fenced off.
  await sql`
    update devices set epoch = epoch + 1, connected = false, qr_text = null, qr_expires_at = null,
      last_disconnect_reason = case when connected then 'pool_lost' else last_disconnect_reason end,
      last_disconnect_at = case when connected then now() else last_disconnect_at end
    where id in (select id from devices where pool_id = ${poolId} and status = 'started' for update skip locked)`.execute(
    tx,
  );
  const { rows } = await sql`
    update pools set lease_until = now() + make_interval(secs => lease_seconds), draining = draining or ${draining}
    where id = ${poolId} and not ended and not ${isLeaseExpired('pools')} returning id`.execute(tx);
  return rows.length === 1;
}

/**
 * Gives the devices to whoever takes them over, at once. `reason`: why those that were connected no longer are. Devices
 * before pools, as by whoever deletes them; one that somebody is changing is left to who takes it over, and counts as
 * connected no longer than the lease.
 */
export async function endLease(
  tx: Transaction,
  poolId: string,
  reason: 'pool_stopped' | 'pool_lost',
): Promise<void> {
  await sql`
    update devices set connected = false, qr_text = null, qr_expires_at = null,
      last_disconnect_reason = case when connected then ${reason} else last_disconnect_reason end,
      last_disconnect_at = case when connected then now() else last_disconnect_at end
    where id in (
      select id from devices where pool_id = ${poolId} and (connected or qr_text is not null)
      for no key update skip locked)`.execute(tx);
  await sql`update pools set draining = true, ended = true, lease_until = now() where id = ${poolId}`.execute(
    tx,
  );
}

/**
 * Incarnations that ended and host nothing any more. They are locked before it is looked what they host: one that was
 * paused in the middle of a take-over holds its row until its new devices are to be seen, and devices of a pool without a
 * row would be nobody's for ever. One that somebody holds stays for the next time. Answers those that are gone.
 */
export async function deleteEmptyPools(tx: Transaction): Promise<string[]> {
  const { rows: past } = await sql<{ id: string }>`
    select id from pools where ${isLeaseExpired('pools')} order by id for update skip locked`.execute(tx);
  const { rows: gone } = await sql<{ id: string }>`
    delete from pools where id = any(${past.map(({ id }) => id)}::uuid[])
      and not exists (select from devices where pool_id = pools.id) returning id`.execute(tx);
  return gone.map(({ id }) => id);
}

/** How many more devices this pool has room for; holds its row. No room when its lease is over. */
export async function lockFreeCapacity(
  tx: Transaction,
  poolId: string,
): Promise<{ room: number; draining: boolean }> {
  const { rows } = await sql<{ room: number; draining: boolean }>`
    select greatest(capacity - devices, 0) as room, draining from pools
    where id = ${poolId} and lease_until > now() for update`.execute(tx);
  return rows[0] ?? { room: 0, draining: true };
}

/** Whether the pool has room for what a pool left whose lease is over; a draining one for its own past's. Locks nothing. */
export async function canTakeOver(db: Database, poolId: string): Promise<boolean> {
  const { rows } = await sql`
    select from pools mine
    where mine.id = ${poolId} and mine.lease_until > now() and mine.devices < mine.capacity
      and exists (select from pools p where ${isLeaseExpired('p')} and (not mine.draining or p.url = mine.url)
                    and exists (select from devices where pool_id = p.id))`.execute(db);
  return rows.length === 1;
}

/**
 * Devices of pools whose lease is over, started ones first. The rows are locked before they are changed: a past owner
 * that holds one in the middle of a fenced write is waited for by coming back, never overtaken. `url`: only what pools
 * under this one left.
 */
export async function lockOrphanedDevices(
  tx: Transaction,
  limit: number,
  url: string | null = null,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from devices d join pools p on p.id = d.pool_id
    where ${isLeaseExpired('p')} and (${url}::text is null or p.url = ${url})
    order by d.status = 'started' desc, d.id limit ${limit} for update of d skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Devices that are another's from now on: the epoch fences off whoever had them. `since`: when they were disconnected. */
const change = (to: { id: string; url: string }, reason: string, since: RawBuilder<unknown>) => sql`
  pool_id = ${to.id}, pool_url = ${to.url}, epoch = d.epoch + 1, connected = false, qr_text = null, qr_expires_at = null,
  last_disconnect_reason = case when d.connected then ${reason} else d.last_disconnect_reason end,
  last_disconnect_at = case when d.connected then ${since} else d.last_disconnect_at end`;

export async function assignDevices(
  tx: Transaction,
  pool: { id: string; url: string },
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    update devices d set ${change(pool, 'pool_lost', sql`date_trunc('milliseconds', p.lease_until)`)}
    from pools p where p.id = d.pool_id and d.id = any(${deviceIds}::uuid[])`.execute(tx);
  await sql`update pools set devices = devices + ${deviceIds.length} where id = ${pool.id}`.execute(tx);
}

export async function writeDraining(db: Database, poolId: string): Promise<void> {
  await sql`update pools set draining = true where id = ${poolId}`.execute(db);
}

/** Devices of this pool that another may take next, those without a connection first. */
export async function selectOwned(db: Database, poolId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from devices where pool_id = ${poolId} order by status = 'started', id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

const takesDevices = sql`not draining and lease_until > now() and devices < capacity`;

/** Places that other pools have. */
export async function selectFreeCapacity(db: Database): Promise<number> {
  const { rows } = await sql<{ places: number }>`
    select coalesce(sum(capacity - devices), 0)::int as places from pools where ${takesDevices}`.execute(db);
  return rows[0]?.places ?? 0;
}

/**
 * Moves devices of a pool to others, to the one with most free places first, as far as there are any; the caller has
 * closed their connections. Devices are locked before pools, as by whoever deletes them; one that somebody is changing
 * stays. Answers those that moved.
 */
export async function moveDevices(
  tx: Transaction,
  poolId: string,
  deviceIds: readonly string[],
): Promise<string[]> {
  const { rows: devices } = await sql<{ id: string }>`
    select id from devices where pool_id = ${poolId} and id = any(${deviceIds}::uuid[])
    order by id for update skip locked`.execute(tx);
  const { rows: pools } = await sql<{ id: string; url: string; room: number }>`
    select id, url, case when id = ${poolId} then 0 else capacity - devices end as room from pools
    where id = ${poolId} or (${takesDevices}) order by id for update`.execute(tx);
  const waiting = devices.map(({ id }) => id);
  const moved: string[] = [];
  for (const to of pools.toSorted((a, b) => b.room - a.room)) {
    const given = waiting.splice(0, Math.max(to.room, 0));
    if (given.length === 0) break;
    await sql`
      update devices d set ${change(to, 'pool_drained', sql`date_trunc('milliseconds', now())`)}
      where d.id = any(${given}::uuid[])`.execute(tx);
    await sql`update pools set devices = devices + ${given.length} where id = ${to.id}`.execute(tx);
    moved.push(...given);
  }
  await sql`update pools set devices = greatest(devices - ${moved.length}, 0) where id = ${poolId}`.execute(
    tx,
  );
  return moved;
}

/** How many devices a pool has under its url, in whatever incarnation, and how many of them are connected. */
export async function countDevices(
  db: Database,
  url: string,
): Promise<{ devices: number; connected: number }> {
  const { rows } = await sql<{ devices: number; connected: number }>`
    select count(*)::int as devices, count(*) filter (where connected and ${isLeaseValid('p')})::int as connected
    from pools p join devices on pool_id = p.id where p.url = ${url}`.execute(db);
  return rows[0] ?? { devices: 0, connected: 0 };
}

/** Null when the pool does not own the device. */
export async function selectHostedState(
  db: Database,
  poolId: string | null,
  deviceId: string,
): Promise<{ device_id: string; status: string; connected: boolean } | null> {
  const { rows } = await sql<{ device_id: string; status: string; connected: boolean }>`
    select id as device_id, status, connected from devices
    where id = ${deviceId} and pool_id = ${poolId}::uuid`.execute(db);
  return rows[0] ?? null;
}
