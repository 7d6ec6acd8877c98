import { sql } from 'kysely';

/** For the `from` clause of a statement that locks rows which other requests need soon. */
export const timeouts2s = sql`(
  select set_config('lock_timeout', '2s', true), set_config('idle_in_transaction_session_timeout', '2s', true)) as timeouts`;

/** For the `from` clause of a statement that works for many requests. */
export const lockTimeout500ms = sql`(select set_config('lock_timeout', '500ms', true)) as timeouts`;
