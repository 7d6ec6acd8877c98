import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Database } from '../src/platform/database/database.ts';
import { eventually } from './eventually.ts';

/** Waits until a statement that contains `words` waits for a lock. */
export function waitForLockWaiter(db: Database, words = ''): Promise<void> {
  return eventually(async () => assert.ok(await hasLockWaiter(db, words), 'no statement waits for a lock'));
}

export const hasLockWaiter = async (db: Database, words = ''): Promise<boolean> =>
  (await countLockWaiters(db, words)) > 0;

/** Counts the statements that contain `words` and wait for a lock. */
export async function countLockWaiters(db: Database, words = ''): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${words}) > 0`.execute(
    db,
  );
  return rows.length;
}
