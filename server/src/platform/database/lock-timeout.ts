import { sql } from 'kysely';
import { isLockConflict } from './connection-errors.ts';
import type { Transaction } from './database.ts';

/** For the `from` clause of a statement that locks rows which other requests need soon. */
export const timeouts2s = sql`(
  select set_config('lock_timeout', '2s', true), set_config('idle_in_transaction_session_timeout', '2s', true)) as timeouts`;

/** For the `from` clause of a statement that works for many teams, or that is retried while its rows are locked. */
export const lockTimeout100ms = sql`(select set_config('lock_timeout', '100ms', true)) as timeouts`;

/** Returns null if the statement could not lock its rows in time. */
export async function nullIfLocked<Result>(statement: () => Promise<Result>): Promise<Result | null> {
  try {
    return await statement();
  } catch (error) {
    if (isLockConflict(error)) return null;
    throw error;
  }
}

/** For a transaction over large tables without a fitting index. */
export async function allowLongStatements(tx: Transaction): Promise<void> {
  await sql`set local statement_timeout = '5min'`.execute(tx);
}
