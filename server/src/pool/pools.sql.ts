import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type ListPage, selectPage } from '../database/list-pages.ts';
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

/** Pools that live, and dead ones that still have devices, those that nobody has taken over so far; newest first. */
export function selectPools(db: Database, page: Page): Promise<ListPage<PoolRow>> {
  const from = sql`
    pools p cross join lateral (
      select count(*)::int as devices, count(*) filter (where d.connected and ${isLeaseValid('p')})::int as connected
      from devices d where d.pool_id = p.id) here
    where ${isLeaseValid('p')} or here.devices > 0`;
  const columns = sql`
    p.id, p.url, p.capacity, here.devices, here.connected, ${isLeaseValid('p')} as alive, p.draining, p.started_at,
    greatest(extract(epoch from now() - p.lease_until) + p.lease_seconds, 0)::float8 as lease_age_seconds,
    greatest(extract(epoch from p.lease_until - now()), 0)::float8 as lease_remaining_seconds`;
  return selectPage(db, { columns, from, order: sql`p.started_at desc, p.id desc` }, pageRange(page));
}
