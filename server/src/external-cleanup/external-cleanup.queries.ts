import { sql } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { newId } from '../shared/ids.ts';
import type { ExternalObject, ExternalObjectKind } from './external-cleanup.ts';

export interface ClaimedDeletion {
  id: string;
  kind: Exclude<ExternalObjectKind, 'session'>;
  ref: string;
  /** This try included; fences what is written about it. */
  attempts: number;
}

/** A provider call that was given up may still arrive; what it makes is looked for after this time. */
const lateCalls = sql`interval '60 seconds'`;

export async function insertDeletions(tx: Transaction, objects: readonly ExternalObject[]): Promise<void> {
  const rows = objects.map(({ teamId, kind, ref }) => ({ id: newId(), team_id: teamId, kind, ref }));
  await sql`
    insert into tombstones (id, team_id, kind, ref, next_attempt_at)
    select id, team_id, kind, ref, case when kind = 'tagged' then now() + ${lateCalls} else now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id uuid, team_id uuid, kind text, ref text)`.execute(
    tx,
  );
}

/**
 * Takes due tombstones for `leaseSeconds`; after that they are due again, whatever became of the claimer. The column
 * rounds to milliseconds: what is due now may say so half a millisecond ahead.
 */
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

/** After the removal was confirmed. */
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

const bulkTables = ['message_media', 'messages', 'conversations', 'answers'] as const;

/** Deletes up to `limit` bulk rows of a team that is gone. Answers how many there were; 0 when none is left. */
export async function deleteTeamRows(db: Database, teamId: string, limit: number): Promise<number> {
  for (const table of bulkTables) {
    const deleted = await deleteSome(db, table, teamId, limit);
    if (deleted > 0) return deleted;
  }
  return 0;
}

/** Media have no team of their own: they go before their messages. */
async function deleteSome(
  db: Database,
  table: (typeof bulkTables)[number],
  teamId: string,
  limit: number,
): Promise<number> {
  const some =
    table === 'message_media'
      ? sql`select media.ctid from message_media media join messages on messages.id = media.message_id
            where messages.team_id = ${teamId} limit ${limit}`
      : sql`select ctid from ${sql.table(table)} where team_id = ${teamId} limit ${limit}`;
  const { numAffectedRows = 0n } =
    await sql`delete from ${sql.table(table)} where ctid = any(array(${some}))`.execute(db);
  return Number(numAffectedRows);
}
