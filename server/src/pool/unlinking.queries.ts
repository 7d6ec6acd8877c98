import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { completedDeletion, type PendingUnlink } from '../external-deletions/external-deletions.sql.ts';
import { deleteSessions } from './device-sessions.sql.ts';

export async function completeUnlink(db: Database, unlink: PendingUnlink): Promise<void> {
  await sql`
    with done as (${completedDeletion(unlink)})
    ${deleteSessions(sql`select ref::uuid from done`)}`.execute(db);
}
