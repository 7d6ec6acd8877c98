import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';

/**
 * Adds a job in the caller's transaction: it exists exactly when the transaction commits. With `key`, a job that waits
 * under the same key is replaced, so that a burst of reasons makes one run.
 */
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
