import { sql } from 'kysely';
import { oldestUnanswered } from '../conversations/conversations.sql.ts';
import type { Database } from '../database/database.ts';
import { oldestUnsent } from '../messages/messages.sql.ts';

/** Seconds since the oldest waiting message, null if none waits. */
export interface Backlog {
  unanswered: number | null;
  unsent: number | null;
}

export async function selectBacklog(db: Database): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select (${oldestUnanswered}) as unanswered, (${oldestUnsent}) as unsent`.execute(db);
  return rows[0] ?? { unanswered: null, unsent: null };
}
