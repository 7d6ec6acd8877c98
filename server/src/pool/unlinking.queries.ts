import { sql } from 'kysely';
import { deleteSessions } from '../devices/device-sessions.sql.ts';
import type { Database } from '../platform/database/database.ts';
import {
  completedDeletion,
  type PendingUnlink,
} from '../records/external-deletions/external-deletions.sql.ts';

export async function completeUnlink(db: Database, unlink: PendingUnlink): Promise<void> {
  await sql`
    with done as (${completedDeletion(unlink)})
    ${deleteSessions(sql`select ref::uuid from done`)}`.execute(db);
}
