import type { Database } from '../database/database.ts';
import { scheduleDeletion } from '../external-cleanup/external-cleanup.ts';
import type { Job } from '../jobs/job.ts';
import { deleteStaleIntents } from './create-bot.queries.ts';

/** Longer than any creation takes: its provider calls time out after 25 seconds. */
const staleAfterSeconds = 120;
const batch = 500;

/**
 * Deletes bots whose creation was interrupted, releases their quota and schedules the deletion of their objects at the
 * provider. If such a creation is still running, it finds its intent gone and is abandoned.
 */
export const reconcileBotsJob = ({ db }: { db: Database }): Job => ({
  name: 'reconcile-bots',
  schedule: '* * * * *',
  maxAttempts: 1,
  async run(_payload, signal) {
    for (let removed = batch; removed === batch && !signal.aborted; ) {
      removed = await db.transaction().execute(async (tx) => {
        const stale = await deleteStaleIntents(tx, { olderThanSeconds: staleAfterSeconds, limit: batch });
        await scheduleDeletion(
          tx,
          stale.map(({ botId, teamId }) => ({ teamId, kind: 'tagged' as const, ref: botId })),
        );
        return stale.length;
      });
    }
  },
});
