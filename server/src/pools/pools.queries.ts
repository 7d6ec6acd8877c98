import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { leaseHolds } from '../database/pool-leases.ts';

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

/** Pools that live, and dead ones that still have devices; oldest first. */
export async function selectPools(db: Database): Promise<PoolRow[]> {
  const { rows } = await sql<PoolRow>`
    select p.id, p.url, p.capacity, p.devices, ${leaseHolds('p')} as alive, p.draining, p.started_at,
           greatest(extract(epoch from now() - p.lease_until) + p.lease_seconds, 0)::float8 as lease_age_seconds,
           greatest(extract(epoch from p.lease_until - now()), 0)::float8 as lease_remaining_seconds,
           (select count(*)::int from devices d where d.pool_id = p.id and d.connected and ${leaseHolds('p')}) as connected
    from pools p where ${leaseHolds('p')} or p.devices > 0
    order by p.started_at, p.id`.execute(db);
  return rows;
}
