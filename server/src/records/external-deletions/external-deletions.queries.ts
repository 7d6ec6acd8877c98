import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { ExternalObject } from './external-deletions.sql.ts';

/** A provider call that timed out may still create an object within this time. */
const maxCallDelay = sql`interval '60 seconds'`;

export async function insertDeletions(tx: Transaction, objects: readonly ExternalObject[]): Promise<void> {
  const rows = objects.map(({ teamId, kind, ref }) => ({ id: newId(), team_id: teamId, kind, ref }));
  await sql`
    insert into tombstones (id, team_id, kind, ref, next_attempt_at)
    select id, team_id, kind, ref, case when kind = 'tagged' then now() + ${maxCallDelay} else now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id uuid, team_id uuid, kind text, ref text)`.execute(
    tx,
  );
}

/** Schedules the deletion of a file that may never get its row. Returns the id of the deletion. */
export async function insertLaterDeletion(
  db: Database,
  { teamId, kind, ref }: ExternalObject,
  seconds: number,
): Promise<string> {
  const id = newId();
  await sql`
    insert into tombstones (id, team_id, kind, ref, next_attempt_at)
    values (${id}, ${teamId}, ${kind}, ${ref}, now() + make_interval(secs => ${seconds}))`.execute(db);
  return id;
}

/** Returns false if the deletion has begun. */
export async function deleteUnclaimedDeletion(tx: Transaction | Database, id: string): Promise<boolean> {
  const { rows } = await sql`delete from tombstones where id = ${id} and attempts = 0 returning id`.execute(
    tx,
  );
  return rows.length === 1;
}
