import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';

export interface OutcomeRow {
  id: string;
  status: string;
  failure: string | null;
}

export async function selectOutcomes(
  db: Database | Transaction,
  ids: readonly string[],
): Promise<OutcomeRow[]> {
  const { rows } = await sql<OutcomeRow>`
    select id, status, failure from messages where id = any(${ids}::uuid[])`.execute(db);
  return rows;
}
