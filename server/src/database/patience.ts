import { sql } from 'kysely';

/**
 * Belongs in the `from` of a statement that does the work of many at once: from then on neither it nor what follows in
 * its transaction waits longer than 500 ms for a lock. What would have to fails, and with it the transaction.
 */
export const impatient = sql`(select set_config('lock_timeout', '500ms', true)) as impatient`;
