import { sql } from 'kysely';
import { deleteAnswersOfTeam } from '../answering/answers.sql.ts';
import { deleteContactsOfTeam, deleteConversationsOfTeam } from '../conversations/conversations.sql.ts';
import type { Database, Transaction } from '../database/database.ts';
import { deleteEventsOfTeam } from '../events/events.sql.ts';
import { deleteMediaOfTeam, deleteMessagesOfTeam } from '../messages/messages.sql.ts';
import { newId } from '../shared/ids.ts';
import { deleteModelCallsOfTeam } from '../usage/model-calls.sql.ts';
import type { ExternalObject, ExternalObjectKind } from './external-cleanup.sql.ts';

export interface ClaimedDeletion {
  id: string;
  kind: Exclude<ExternalObjectKind, 'session'>;
  ref: string;
  /** Includes this attempt. Fences writes about it. */
  attempts: number;
}

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

/** The column rounds to milliseconds, so a due row may be half a millisecond ahead. */
export async function claimDeletions(
  db: Database,
  options: { limit: number; leaseSeconds: number },
): Promise<ClaimedDeletion[]> {
  const { rows } = await sql<ClaimedDeletion>`
    update tombstones set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${options.leaseSeconds})
    where id in (
      select id from tombstones where next_attempt_at <= now() + interval '1 millisecond' and kind <> 'session'
      order by next_attempt_at limit ${options.limit} for update skip locked
    )
    returning id, kind, ref, attempts`.execute(db);
  return rows;
}

export async function completeDeletion(db: Database, { id, attempts }: ClaimedDeletion): Promise<void> {
  await sql`delete from tombstones where id = ${id} and attempts = ${attempts}`.execute(db);
}

export async function postponeDeletion(
  db: Database,
  { id, attempts }: ClaimedDeletion,
  options: { seconds: number; error: string | null },
): Promise<void> {
  await sql`
    update tombstones
    set next_attempt_at = now() + make_interval(secs => ${options.seconds}), last_error = ${options.error}
    where id = ${id} and attempts = ${attempts}`.execute(db);
}

/** Ordered: media refer to messages. */
const deleteBulkRows = [
  deleteMediaOfTeam,
  deleteMessagesOfTeam,
  deleteConversationsOfTeam,
  deleteContactsOfTeam,
  deleteAnswersOfTeam,
  deleteModelCallsOfTeam,
  deleteEventsOfTeam,
] as const;

export async function deleteTeamRows(db: Database, teamId: string, limit: number): Promise<number> {
  for (const deleteRows of deleteBulkRows) {
    const deleted = await deleteRows(db, teamId, limit);
    if (deleted > 0) return deleted;
  }
  return 0;
}
