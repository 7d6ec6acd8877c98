import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

export interface SettlementRow {
  id: string;
  status: string;
  failure: string | null;
}

export async function selectSettlements(db: Database, ids: readonly string[]): Promise<SettlementRow[]> {
  const { rows } = await sql<SettlementRow>`
    select id, status, failure from messages where id = any(${ids}::uuid[])`.execute(db);
  return rows;
}
