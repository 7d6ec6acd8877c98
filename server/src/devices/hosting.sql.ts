import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../platform/database/database.ts';
import { isLeaseExpired, isLeaseValid, joinPool } from './leases.sql.ts';

export const hostsDevices = (pools: string) =>
  sql<SqlBool>`exists (select from devices where pool_id = ${sql.ref(`${pools}.id`)})`;

/** For a `from` clause that ends with more conditions. */
export const startedDevices = (poolId: string) => sql`
  devices d where d.pool_id = ${poolId} and d.status = 'started'`;

/** True for at most 2 s after a pool gave up a linked device on purpose. Sends are accepted: the next pool delivers them. */
export const isHandedOver = (devices: string) => {
  const column = (name: string) => sql.ref(`${devices}.${name}`);
  return sql<SqlBool>`(
    ${column('logged_in')} and not ${column('connected')}
    and ${column('last_disconnect_reason')} in ('pool_stopped', 'pool_drained')
    and ${column('last_disconnect_at')} > now() - interval '2 seconds')`;
};

/** True until the next pool has connected the device. */
export const lostItsPool = (devices: string, pools: string) =>
  sql<SqlBool>`(
    not ${isLeaseValid(pools)} or not ${sql.ref(`${devices}.connected`)}
      and ${sql.ref(`${devices}.last_disconnect_reason`)} in ('pool_lost', 'pool_stopped', 'pool_drained'))`;

export const disconnectedDeviceCount = sql<number>`
  select count(*)::int from devices
  where status = 'started' and logged_in and not connected and last_disconnect_at < now() - interval '1 minute'`;

export const hostedCounts = sql`
  select count(*)::int as devices, count(*) filter (where d.connected and ${isLeaseValid('p')})::int as connected
  from devices d where d.pool_id = p.id`;

/** Fences off writes under the old epochs of the pool's started devices. Skips locked devices. Watched by record_device_event. */
export async function fenceHostedDevices(tx: Transaction, poolId: string): Promise<void> {
  await sql`
    update devices set epoch = epoch + 1, connected = false, qr_text = null, qr_expires_at = null,
      last_disconnect_reason = case when connected then 'pool_lost' else last_disconnect_reason end,
      last_disconnect_at = case when connected then now() else last_disconnect_at end
    where id in (select id from devices where pool_id = ${poolId} and status = 'started' for update skip locked)`.execute(
    tx,
  );
}

/** Watched by record_device_event. */
export async function disconnectHostedDevices(
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
}

/** Locks devices of expired pools, filtered by `url` if given. Skips locked devices. */
export async function lockOrphanedDevices(
  tx: Transaction,
  limit: number,
  url: string | null = null,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from devices d ${joinPool}
    where ${isLeaseExpired('p')} and (${url}::text is null or p.url = ${url})
    order by d.status = 'started' desc, d.id limit ${limit} for update of d skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function lockHosted(
  tx: Transaction,
  poolId: string,
  deviceIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from devices where pool_id = ${poolId} and id = any(${deviceIds}::uuid[])
    order by id for update skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

interface HostingPool {
  id: string;
  url: string;
}

/** The epoch fences off the earlier owner. `since` is the time of the disconnection. */
const assigned = (pool: HostingPool, reason: string, since: RawBuilder<unknown>) => sql`
  pool_id = ${pool.id}, pool_url = ${pool.url}, epoch = d.epoch + 1, connected = false, qr_text = null,
  qr_expires_at = null,
  last_disconnect_reason = case when d.connected then ${reason} else d.last_disconnect_reason end,
  last_disconnect_at = case when d.connected then ${since} else d.last_disconnect_at end`;

/** Watched by record_device_event. */
export async function adoptDevices(
  tx: Transaction,
  pool: HostingPool,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    update devices d set ${assigned(pool, 'pool_lost', sql`date_trunc('milliseconds', p.lease_until)`)}
    from pools p where p.id = d.pool_id and d.id = any(${deviceIds}::uuid[])`.execute(tx);
}

/** Watched by record_device_event. */
export async function reassignDevices(
  tx: Transaction,
  pool: HostingPool,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    update devices d set ${assigned(pool, 'pool_drained', sql`date_trunc('milliseconds', now())`)}
    where d.id = any(${deviceIds}::uuid[])`.execute(tx);
}

/** Stopped devices come first; `startedOnly` leaves them out. */
export async function selectOwned(
  db: Database,
  poolId: string,
  { limit, startedOnly }: { limit: number; startedOnly: boolean },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from devices where pool_id = ${poolId} and (not ${startedOnly}::boolean or status = 'started')
    order by status = 'started', id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

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
