import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { leaseIsOver } from '../database/pool-leases.ts';

export async function insertPool(
  db: Database,
  pool: { id: string; url: string; capacity: number; leaseSeconds: number },
): Promise<void> {
  await sql`
    insert into pools (id, url, capacity, lease_seconds, lease_until)
    values (${pool.id}, ${pool.url}, ${pool.capacity}, ${pool.leaseSeconds},
            now() + make_interval(secs => ${pool.leaseSeconds}))`.execute(db);
}

/** False when the lease is over: the devices may be another pool's by now. */
export async function renewLease(db: Database, poolId: string): Promise<boolean> {
  const { rows } = await sql`
    update pools set lease_until = now() + make_interval(secs => lease_seconds)
    where id = ${poolId} and not draining and not ${leaseIsOver('pools')} returning id`.execute(db);
  return rows.length === 1;
}

/** Gives the devices to whoever takes them over, at once. `reason`: why those that were connected no longer are. */
export async function endLease(
  tx: Transaction,
  poolId: string,
  reason: 'pool_stopped' | 'pool_lost',
): Promise<void> {
  await sql`update pools set draining = true, lease_until = now() where id = ${poolId}`.execute(tx);
  await sql`
    update devices set connected = false, qr_text = null, qr_expires_at = null,
      last_disconnect_reason = case when connected then ${reason} else last_disconnect_reason end,
      last_disconnect_at = case when connected then now() else last_disconnect_at end
    where pool_id = ${poolId} and (connected or qr_text is not null)`.execute(tx);
}

/** Incarnations that ended and host nothing any more. */
export async function deletePastPools(db: Database): Promise<void> {
  await sql`
    delete from pools where ${leaseIsOver('pools')} and not exists (select from devices where pool_id = pools.id)`.execute(
    db,
  );
}

/** How many more devices this pool has room for; holds its row. 0 when its lease is over. */
export async function lockRoom(tx: Transaction, poolId: string): Promise<number> {
  const { rows } = await sql<{ room: number }>`
    select greatest(capacity - devices, 0) as room from pools
    where id = ${poolId} and not draining and lease_until > now() for update`.execute(tx);
  return rows[0]?.room ?? 0;
}

/**
 * Devices of pools whose lease is over, started ones first. The rows are locked before they are changed: a past owner
 * that holds one in the middle of a fenced write is waited for by coming back, never overtaken.
 */
export async function lockAbandoned(tx: Transaction, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from devices d join pools p on p.id = d.pool_id
    where ${leaseIsOver('p')}
    order by d.status = 'started' desc, d.id limit ${limit} for update of d skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function adopt(
  tx: Transaction,
  pool: { id: string; url: string },
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    update devices d set pool_id = ${pool.id}, pool_url = ${pool.url}, epoch = d.epoch + 1, connected = false,
      qr_text = null, qr_expires_at = null,
      last_disconnect_reason = case when d.connected then 'pool_lost' else d.last_disconnect_reason end,
      last_disconnect_at = case when d.connected then date_trunc('milliseconds', p.lease_until)
                                else d.last_disconnect_at end
    from pools p where p.id = d.pool_id and d.id = any(${deviceIds}::uuid[])`.execute(tx);
  await sql`update pools set devices = devices + ${deviceIds.length} where id = ${pool.id}`.execute(tx);
}

/** Null when the pool does not own the device. */
export async function hostedState(
  db: Database,
  poolId: string | null,
  deviceId: string,
): Promise<{ device_id: string; status: string; connected: boolean } | null> {
  const { rows } = await sql<{ device_id: string; status: string; connected: boolean }>`
    select id as device_id, status, connected from devices
    where id = ${deviceId} and pool_id = ${poolId}::uuid`.execute(db);
  return rows[0] ?? null;
}
