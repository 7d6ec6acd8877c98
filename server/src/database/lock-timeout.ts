import { sql } from 'kysely';

/**
 * As `impatient`, in a transaction that from here on holds what others cannot be without for long: nor does the database
 * wait more than 2 s for its next statement, should its process have stopped.
 */
export const timeouts2s = sql`(
  select set_config('lock_timeout', '2s', true), set_config('idle_in_transaction_session_timeout', '2s', true)) as brief`;

/**
 * Belongs in the `from` of a statement that does the work of many at once: from then on neither it nor what follows in
 * its transaction waits longer than 500 ms for a lock. What would have to fails, and with it the transaction.
 */
export const lockTimeout500ms = sql`(select set_config('lock_timeout', '500ms', true)) as impatient`;
