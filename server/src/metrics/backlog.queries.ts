import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** Seconds since the oldest of what waits, null when nothing waits. */
export interface Backlog {
  unanswered: number | null;
  unsent: number | null;
}

/** Messages that wait for an answer that is due, and messages that are due to be sent. */
export async function selectBacklog(db: Database): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select
      (select extract(epoch from now() - min(m.created_at))::float8
       from (select device_id, contact_number from conversations where answer_due_at <= now()
             order by answer_due_at limit 20) c
       join messages m on m.device_id = c.device_id and m.contact_number = c.contact_number
         and m.direction = 'in' and m.status = 'received') as unanswered,
      (select extract(epoch from now() - min(next_attempt_at))::float8 from messages
       where direction = 'out' and status = 'accepted' and next_attempt_at <= now()) as unsent`.execute(db);
  return rows[0] ?? { unanswered: null, unsent: null };
}
