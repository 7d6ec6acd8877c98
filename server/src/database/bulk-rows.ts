import { type RawBuilder, type SqlBool, sql } from 'kysely';
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
