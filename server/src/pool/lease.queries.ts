import { sql } from 'kysely';
import {
  adoptDevices,
  disconnectHostedDevices,
  fenceHostedDevices,
  hostedCounts,
  hostsDevices,
  lockHosted,
  reassignDevices,
} from '../devices/hosting.sql.ts';
import { acceptsDevices, isLeaseExpired } from '../devices/leases.sql.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { timeouts2s } from '../platform/database/lock-timeout.ts';

export async function insertPool(
  db: Database,
  pool: { id: string; url: string; capacity: number; leaseSeconds: number; draining: boolean },
): Promise<void> {
  await sql`
    insert into pools (id, url, capacity, draining, lease_seconds, lease_until)
    values (${pool.id}, ${pool.url}, ${pool.capacity}, ${pool.draining}, ${pool.leaseSeconds},
            now() + make_interval(secs => ${pool.leaseSeconds}))`.execute(db);
}

/** Returns null if the lease has expired. Other pools may have taken over the devices by then. */
export async function renewLease(db: Database, poolId: string): Promise<{ draining: boolean } | null> {
  const { rows } = await sql<{ draining: boolean }>`
    update pools set lease_until = now() + make_interval(secs => lease_seconds)
    where id = ${poolId} and not ended and not ${isLeaseExpired('pools')} returning draining`.execute(db);
  return rows[0] ?? null;
}

/** Renews a lease that this pool gave up after a pause or a database outage. Returns false if it has expired. */
export async function resumeLease(
  tx: Transaction,
  { id: poolId, draining }: { id: string; draining: boolean },
): Promise<boolean> {
  // Lock devices before pools, like the deletion of a device.
  await fenceHostedDevices(tx, poolId);
  const { rows } = await sql`
    update pools set lease_until = now() + make_interval(secs => lease_seconds), draining = draining or ${draining}
    where id = ${poolId} and not ended and not ${isLeaseExpired('pools')} returning id`.execute(tx);
  return rows.length === 1;
}

/** Lets other pools take over at once. Locked devices are skipped, but do not count as connected without a valid lease. */
export async function endLease(
  tx: Transaction,
  poolId: string,
  reason: 'pool_stopped' | 'pool_lost',
): Promise<void> {
  await disconnectHostedDevices(tx, poolId, reason);
  await sql`update pools set draining = true, ended = true, lease_until = now() where id = ${poolId}`.execute(
    tx,
  );
}

/** Locks pools before it looks for devices, because a paused takeover may not have committed its new devices yet. */
export async function deleteEmptyPools(tx: Transaction): Promise<string[]> {
  const { rows: past } = await sql<{ id: string }>`
    select id from pools where ${isLeaseExpired('pools')} order by id for update skip locked`.execute(tx);
  const { rows: gone } = await sql<{ id: string }>`
    delete from pools where id = any(${past.map(({ id }) => id)}::uuid[])
      and not ${hostsDevices('pools')} returning id`.execute(tx);
  return gone.map(({ id }) => id);
}

export async function lockFreeCapacity(
  tx: Transaction,
  poolId: string,
): Promise<{ room: number; draining: boolean }> {
  const { rows } = await sql<{ room: number; draining: boolean }>`
    select greatest(capacity - devices, 0) as room, draining from pools
    where id = ${poolId} and lease_until > now() for update`.execute(tx);
  return rows[0] ?? { room: 0, draining: true };
}

/** A draining pool takes over only devices of pools under its own URL. */
export async function canTakeOver(db: Database, poolId: string): Promise<boolean> {
  const { rows } = await sql`
    select from pools mine
    where mine.id = ${poolId} and mine.lease_until > now() and mine.devices < mine.capacity
      and exists (select from pools p where ${isLeaseExpired('p')} and (not mine.draining or p.url = mine.url)
                    and ${hostsDevices('p')})`.execute(db);
  return rows.length === 1;
}

export async function assignDevices(
  tx: Transaction,
  pool: { id: string; url: string },
  deviceIds: readonly string[],
): Promise<void> {
  await adoptDevices(tx, pool, deviceIds);
  await sql`update pools set devices = devices + ${deviceIds.length} where id = ${pool.id}`.execute(tx);
}

export async function writeDraining(db: Database, poolId: string): Promise<void> {
  await sql`update pools set draining = true where id = ${poolId}`.execute(db);
}

export async function selectFreeCapacity(db: Database): Promise<number> {
  const { rows } = await sql<{ places: number }>`
    select coalesce(sum(capacity - devices), 0)::int as places from pools where ${acceptsDevices}`.execute(
    db,
  );
  return rows[0]?.places ?? 0;
}

/** The caller has closed the connections. Locks devices before pools and skips locked rows. Returns the moved ids. */
export async function moveDevices(
  tx: Transaction,
  poolId: string,
  deviceIds: readonly string[],
): Promise<string[]> {
  const waiting = await lockHosted(tx, poolId, deviceIds);
  await sql`select from ${timeouts2s}, pools where id = ${poolId} for update of pools`.execute(tx);
  const { rows: pools } = await sql<{ id: string; url: string; room: number }>`
    select id, url, capacity - devices as room from pools
    where id <> ${poolId} and ${acceptsDevices} order by room desc, id for update skip locked`.execute(tx);
  const moved: string[] = [];
  for (const to of pools) {
    const given = waiting.splice(0, to.room);
    if (given.length === 0) break;
    await reassignDevices(tx, to, given);
    await sql`update pools set devices = devices + ${given.length} where id = ${to.id}`.execute(tx);
    moved.push(...given);
  }
  await sql`update pools set devices = greatest(devices - ${moved.length}, 0) where id = ${poolId}`.execute(
    tx,
  );
  return moved;
}

export async function countDevices(
  db: Database,
  url: string,
): Promise<{ devices: number; connected: number }> {
  const { rows } = await sql<{ devices: number; connected: number }>`
    select coalesce(sum(hosted.devices), 0)::int as devices, coalesce(sum(hosted.connected), 0)::int as connected
    from pools p cross join lateral (${hostedCounts}) hosted where p.url = ${url}`.execute(db);
  return rows[0] ?? { devices: 0, connected: 0 };
}
