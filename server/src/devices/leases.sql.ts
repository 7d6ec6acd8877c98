import { type RawBuilder, type SqlBool, sql } from 'kysely';

export const joinPool = sql`join pools p on p.id = d.pool_id`;

/** False for a pool that an outer join did not find. */
export const isLeaseValid = (pools: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`coalesce(${sql.ref(`${pools}.lease_until`)} > now(), false)`;

/** True if other pools may take over the devices. A restart of the database gives each pool one more lease. */
export const isLeaseExpired = (pools: string): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${pools}.${name}`);
  return sql<SqlBool>`(${column('lease_until')} <= now() and (${column('ended')}
    or pg_postmaster_start_time() + make_interval(secs => ${column('lease_seconds')}) <= now()))`;
};

export const hasValidLease = (poolId: string | RawBuilder<unknown>) =>
  sql<SqlBool>`exists (select from pools where pools.id = ${poolId} and ${isLeaseValid('pools')})`;

/** Needs `pools`, without an alias. */
export const acceptsDevices = sql<SqlBool>`not draining and lease_until > now() and devices < capacity`;
