import type { Database, Transaction } from '../../platform/database/database.ts';
import { nullIfLocked } from '../../platform/database/lock-timeout.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { scheduleDeletion } from '../../records/external-deletions/external-deletions.ts';
import { deleteStaleIntents, selectTeamsWithStaleIntents } from './create-bot.queries.ts';

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
    // A team with locked rows is skipped until the next run, so that it delays no other team.
    for (const teamId of await selectTeamsWithStaleIntents(db, staleAfterSeconds)) {
      if (signal.aborted) return;
      await nullIfLocked(() => db.transaction().execute((tx) => undoStaleIntents(tx, teamId)));
    }
  },
});

async function undoStaleIntents(tx: Transaction, teamId: string): Promise<void> {
  const stale = await deleteStaleIntents(tx, { teamId, olderThanSeconds: staleAfterSeconds, limit: batch });
  await scheduleDeletion(
    tx,
    stale.map(({ botId }) => ({ teamId, kind: 'tagged' as const, ref: botId })),
  );
}
