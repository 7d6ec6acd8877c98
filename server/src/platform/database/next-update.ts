import { type RawBuilder, sql } from 'kysely';

/** The time of a change. It differs from the row's earlier one even if both changes happen in one millisecond. */
export const nextUpdate = (column: string): RawBuilder<Date> =>
  sql`greatest(now(), ${sql.ref(column)} + interval '1 millisecond')`;
