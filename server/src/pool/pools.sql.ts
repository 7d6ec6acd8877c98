import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { type ListPage, selectPage } from '../database/list-pages.ts';
import { timeouts2s } from '../database/lock-timeout.ts';
import { hostedCounts } from '../devices/hosting.sql.ts';
import { type Page, pageRange } from '../http/pagination.ts';
import { isLeaseValid } from './leases.sql.ts';

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

/** Returns pools with a valid lease or with devices, newest first. */
export function selectPools(db: Database, page: Page): Promise<ListPage<PoolRow>> {
  const from = sql`
    pools p cross join lateral (${hostedCounts}) here
    where ${isLeaseValid('p')} or here.devices > 0`;
  const columns = sql`
    p.id, p.url, p.capacity, here.devices, here.connected, ${isLeaseValid('p')} as alive, p.draining, p.started_at,
    greatest(extract(epoch from now() - p.lease_until) + p.lease_seconds, 0)::float8 as lease_age_seconds,
    greatest(extract(epoch from p.lease_until - now()), 0)::float8 as lease_remaining_seconds`;
  return selectPage(db, { columns, from, order: sql`p.started_at desc, p.id desc` }, pageRange(page));
}

export interface ReservedPool {
  poolId: string;
  poolUrl: string;
}

/** Returns null if every pool is full. Call it last: it locks the pool's row, which the pool needs to renew its lease. */
export async function reserveCapacity(tx: Transaction): Promise<ReservedPool | null> {
  const free = sql`lease_until > now() and not draining and devices < capacity`;
  for (;;) {
    const { rows } = await sql<ReservedPool>`
      update pools set devices = devices + 1 from ${timeouts2s}
      where id = (select id from pools where ${free} order by capacity - devices desc, id limit 1) and ${free}
      returning id as "poolId", url as "poolUrl"`.execute(tx);
    if (rows[0] !== undefined) return rows[0];
    // The chosen pool may have filled up while this transaction waited for its row.
    const { rows: others } = await sql`select from pools where ${free} limit 1`.execute(tx);
    if (others.length === 0) return null;
  }
}
