import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type ListPage, selectPage } from '../../platform/database/list-pages.ts';
import { timeouts2s } from '../../platform/database/lock-timeout.ts';
import { type Page, pageRange } from '../../platform/http/pagination.ts';
import { hostedCounts } from '../hosting.sql.ts';
import { acceptsDevices, isLeaseValid } from '../leases.sql.ts';

export interface PoolRow {
  id: string;
  url: string;
  capacity: number;
  devices: number;
  connected: number;
  alive: boolean;
  draining: boolean;
  lease_age_seconds: number;
  lease_remaining_seconds: number;
  started_at: Date;
}

/** The pool of devices from another deployment. */
export const formerPoolUrl = 'http://moved.invalid';

/** Inserts a pool without a lease, so that other pools take over the devices that refer to it. */
export const insertFormerPoolStatement = (poolId: string): string => `
  insert into pools (id, url, capacity, devices, lease_until, draining, ended)
  values ('${poolId}', '${formerPoolUrl}', 1, 0, now() - interval '1 day', true, true)
  on conflict do nothing`;

/** Whether a pool of this deployment has the id. */
export async function isPoolId(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql`select from pools where id = ${id} and url <> ${formerPoolUrl}`.execute(db);
  return rows.length === 1;
}

const columns = sql`
    p.id, p.url, p.capacity, here.devices, here.connected, ${isLeaseValid('p')} as alive, p.draining, p.started_at,
    greatest(extract(epoch from now() - p.lease_until) + p.lease_seconds, 0)::float8 as lease_age_seconds,
    greatest(extract(epoch from p.lease_until - now()), 0)::float8 as lease_remaining_seconds`;

const shownPools = sql`
  pools p cross join lateral (${hostedCounts}) here
  where (${isLeaseValid('p')} or here.devices > 0)`;

/** Returns pools with a valid lease or with devices, newest first. */
export function selectPools(db: Database, page: Page): Promise<ListPage<PoolRow>> {
  return selectPage(
    db,
    { columns, from: shownPools, order: sql`p.started_at desc, p.id desc` },
    pageRange(page),
  );
}

/** The pool reads this with the next renewal of its lease. Returns undefined if there is no such pool. */
export async function startDraining(tx: Transaction, id: string): Promise<PoolRow | undefined> {
  await sql`update pools set draining = true where id = ${id}`.execute(tx);
  const { rows } = await sql<PoolRow>`select ${columns} from ${shownPools} and p.id = ${id}`.execute(tx);
  return rows[0];
}

export interface ReservedPool {
  poolId: string;
  poolUrl: string;
}

/** After this time without an unlocked row of a free pool, wait for a locked one. */
const maxSearchMs = 1000;
const searchEveryMs = 10;

/**
 * Reserves a place in the pool with the most free capacity. Skips pools whose rows are locked. If all free pools stay locked
 * for a second, waits up to 2 s more for one. Returns null if every pool is full. Call it last in a transaction: it locks the
 * pool's row, which the pool needs to renew its lease.
 */
export async function reserveCapacity(tx: Transaction): Promise<ReservedPool | null> {
  const deadline = performance.now() + maxSearchMs;
  for (;;) {
    const waitsForLock = performance.now() >= deadline;
    const reserved = await reserve(tx, waitsForLock ? sql`` : sql`for no key update skip locked`);
    if (reserved !== null) return reserved;
    const { rows: free } = await sql`select from pools where ${acceptsDevices} limit 1`.execute(tx);
    if (free.length === 0) return null;
    // Other transactions hold the rows of all free pools, usually for a few milliseconds.
    await setTimeout(searchEveryMs);
  }
}

async function reserve(tx: Transaction, lock: RawBuilder<unknown>): Promise<ReservedPool | null> {
  const { rows } = await sql<ReservedPool>`
    update pools set devices = devices + 1 from ${timeouts2s}
    where id = (select id from pools where ${acceptsDevices} order by capacity - devices desc, id limit 1 ${lock})
      and ${acceptsDevices}
    returning id as "poolId", url as "poolUrl"`.execute(tx);
  return rows[0] ?? null;
}

/** What needs attention: `kind`, `id`, `team_id`, `name`, `reason`, `since`. Pools without a lease whose devices no other pool took. */
export const deadPools = sql`
  select 'pool' as kind, p.id::text as id, null::uuid as team_id, p.url as name, null as reason, p.lease_until as since
  from ${shownPools} and not ${isLeaseValid('p')}`;
