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
