import { type RawBuilder, sql } from 'kysely';

/** The name of a user whose id is given as text, if the user exists. */
export const nameOfUser = (userId: RawBuilder<unknown>) => sql`
  select name from users where id = (${userId})::uuid`;
