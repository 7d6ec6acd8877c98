import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';

/** Adds a job in the caller's transaction. With `key`, it replaces a waiting job with the same key. */
export async function enqueueJob(
  tx: Transaction | Database,
  name: string,
  payload: object,
  options: { key?: string; runAt?: Date; maxAttempts: number },
): Promise<void> {
  await sql`
    select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json, job_key => ${options.key ?? null}::text,
      run_at => ${options.runAt ?? null}::timestamptz, max_attempts => ${options.maxAttempts}::int)`.execute(
    tx,
  );
}

/** Returns whether a job with the key waits, runs or is retried. */
export async function isJobQueued(db: Transaction | Database, key: string): Promise<boolean> {
  const { rows } = await sql`
    select from graphile_worker.jobs where key = ${key} and attempts < max_attempts`.execute(db);
  return rows.length > 0;
}
