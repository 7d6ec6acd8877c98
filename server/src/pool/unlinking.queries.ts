import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** A link to be ended with the credentials stored under `ref`, the device's id. */
export interface PendingUnlink {
  id: string;
  ref: string;
  /** This try included; fences what is written about it. */
  attempts: number;
}

/** Takes due tombstones of sessions for `leaseSeconds`. */
export async function claimPendingUnlinks(
  db: Database,
  options: { limit: number; leaseSeconds: number },
): Promise<PendingUnlink[]> {
  const { rows } = await sql<PendingUnlink>`
    update tombstones set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${options.leaseSeconds})
    where id in (
      select id from tombstones where next_attempt_at <= now() and kind = 'session'
      order by next_attempt_at limit ${options.limit} for update skip locked
    )
    returning id, ref, attempts`.execute(db);
  return rows;
}

/** The link is gone: so are the credentials, and the tombstone with them. */
export async function completeUnlink(db: Database, { id, attempts }: PendingUnlink): Promise<void> {
  await sql`
    with done as (
      delete from tombstones where id = ${id} and attempts = ${attempts} returning ref
    )
    delete from device_sessions where device_id in (select ref::uuid from done)`.execute(db);
}

export async function postponeUnlink(
  db: Database,
  { id, attempts }: PendingUnlink,
  options: { seconds: number; error: string },
): Promise<void> {
  await sql`
    update tombstones
    set next_attempt_at = now() + make_interval(secs => ${options.seconds}), last_error = ${options.error}
    where id = ${id} and attempts = ${attempts}`.execute(db);
}
