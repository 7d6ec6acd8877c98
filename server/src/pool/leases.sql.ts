import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The pool of this alias renewed its lease in time: what it says of its devices holds. Null for a pool that is gone. */
export const isLeaseValid = (pools: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`coalesce(${sql.ref(`${pools}.lease_until`)} > now(), false)`;

/**
 * The pool of this alias may be succeeded. Nobody could renew while the database was away, so after its restart every
 * pool that had not let go of its devices gets one more lease to come back.
 */
export const isLeaseExpired = (pools: string): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${pools}.${name}`);
  return sql<SqlBool>`(${column('lease_until')} <= now() and (${column('ended')}
    or pg_postmaster_start_time() + make_interval(secs => ${column('lease_seconds')}) <= now()))`;
};
