import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

export async function deleteAnswersOfTeam(db: Database, teamId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from answers where ctid = any(array(
      select ctid from answers where team_id = ${teamId} limit ${limit}))`.execute(db);
  return Number(numAffectedRows);
}
