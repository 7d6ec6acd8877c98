import { sql } from 'kysely';

/**
 * Limits lock waits of the transaction to 2 s, from this statement on. If its process stops, the database ends the
 * transaction after 2 s. Put it into the `from` clause of a statement that locks rows which others need soon.
 */
export const timeouts2s = sql`(
  select set_config('lock_timeout', '2s', true), set_config('idle_in_transaction_session_timeout', '2s', true)) as timeouts`;

/**
 * Limits lock waits of the transaction to 500 ms, from this statement on. Put it into the `from` clause of a statement
 * that works for many requests: a longer wait fails the statement and its transaction.
 */
export const lockTimeout500ms = sql`(select set_config('lock_timeout', '500ms', true)) as timeouts`;
