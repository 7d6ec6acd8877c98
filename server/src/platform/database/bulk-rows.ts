import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from './database.ts';
import { inScope, type Scope } from './scopes.ts';

/** A batch of a team's rows from before a time. */
export interface Expired {
  teamId: string;
  before: Date;
  limit: number;
}

/** One contact in the teams of a scope, in all stored forms: numbers with `+`, and ids and addresses of the network. */
export interface ContactOf {
  scope: Scope;
  forms: readonly string[];
}

/** Needs a table with `contact_number` and `team_id`. */
export const isOfContact = ({ scope, forms }: ContactOf): RawBuilder<SqlBool> => sql`
  contact_number = any(${forms}::text[]) and ${inScope(scope, 'team_id')}`;

/** Returns a function that deletes at most `limit` rows of a team from a table with `team_id`, and returns their number. */
export const deleteRowsOfTeam =
  (table: string) =>
  async (db: Database, teamId: string, limit: number): Promise<number> => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where team_id = ${teamId} limit ${limit}))`.execute(db);
    return Number(numAffectedRows);
  };
