import { sql } from 'kysely';
import type { Expired } from '../../platform/database/bulk-rows.ts';
import type { Database } from '../../platform/database/database.ts';

/** Results of questions that contacts asked. Those of cases stay. */
export async function deleteExpiredResults(
  db: Database,
  { teamId, before, limit }: Expired,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from bot_run_results where (run_id, position) in (
      select r.run_id, r.position from bot_runs run join bot_run_results r on r.run_id = run.id
      where run.team_id = ${teamId} and run.created_at < ${before} and r.conversation_id is not null limit ${limit})`.execute(
    db,
  );
  return Number(numAffectedRows);
}
