import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

export async function writeHeartbeat(db: Database, runnerId: string): Promise<void> {
  await sql`
    insert into job_runners (id) values (${runnerId})
    on conflict (id) do update set seen_at = now()`.execute(db);
}

export async function deleteRunner(db: Database, runnerId: string): Promise<void> {
  await sql`delete from job_runners where id = ${runnerId}`.execute(db);
}

/** Measures silence from the database start at the earliest, because no runner could write its heartbeat before. */
export async function unlockJobsOfDeadRunners(db: Database, leaseSeconds: number): Promise<void> {
  const lease = sql`make_interval(secs => ${leaseSeconds})`;
  await sql`
    delete from job_runners where greatest(seen_at, pg_postmaster_start_time()) < now() - ${lease}`.execute(
    db,
  );
  await sql`
    select graphile_worker.force_unlock_workers(array(
      select distinct locked_by from graphile_worker.jobs
      where locked_at < now() - ${lease} and locked_by not in (select id from job_runners)
    ))`.execute(db);
}

/** Returns true if the runner has locked a job for longer than a lease that is not among `held`. */
export async function selectHasLostJobs(
  db: Database,
  { runnerId, held, leaseSeconds }: { runnerId: string; held: readonly string[]; leaseSeconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from graphile_worker.jobs
    where locked_by = ${runnerId} and id <> all(${held}::bigint[])
      and locked_at < now() - make_interval(secs => ${leaseSeconds})
    limit 1`.execute(db);
  return rows.length > 0;
}
