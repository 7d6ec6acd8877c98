import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';

/** The cluster's identifier, and the timeline, which changes when a server is restored to a point in time. */
const thisServer = sql`(
  select (select system_identifier from pg_control_system())::text || '/' ||
         (select timeline_id from pg_control_checkpoint())::text)`;

/**
 * Begins a new incarnation if the database was moved to another server, whose transaction ids do not continue those of the
 * events. Events that the webhooks have yet to get stay behind those that they got.
 */
export async function adoptEventLog(db: Database): Promise<{ isMoved: boolean }> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ server: string | null; found: string }>`
      select server, ${thisServer} as found from event_log for update`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error('the row of event_log is missing');
    if (row.server === row.found) return { isMoved: false };
    const isMoved = row.server !== null;
    if (isMoved) {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`
        update events set xid = case when (xid, seq) <= (select fanned_xid, fanned_seq from event_log)
                                     then '0'::xid8 else '1'::xid8 end`.execute(tx);
    }
    await sql`
      update event_log set server = ${row.found},
        incarnation = case when ${isMoved} then gen_random_uuid() else incarnation end,
        fanned_xid = case when ${isMoved} then '0'::xid8 else fanned_xid end,
        fanned_seq = case when ${isMoved} then (select coalesce(max(seq), 0) from events where xid = '0'::xid8)
                          else fanned_seq end`.execute(tx);
    return { isMoved };
  });
}
