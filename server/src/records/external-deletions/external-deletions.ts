import type { Database, Transaction } from '../../platform/database/database.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import {
  deleteUnclaimedDeletion,
  insertDeletions,
  insertLaterDeletion,
} from './external-deletions.queries.ts';
import type { ExternalObject } from './external-deletions.sql.ts';

/** Names of queued jobs, so they cannot change. */
export const deletionJob = 'remove-buried';
export const orphanJob = 'bury-orphans';
export const deletionAttempts = 3;

/** Call it in the transaction that deletes the owner. A job retries each deletion until it is confirmed. */
export async function scheduleDeletion(tx: Transaction, objects: readonly ExternalObject[]): Promise<void> {
  if (objects.length === 0) return;
  await insertDeletions(tx, objects);
  // Without a job key: with one, concurrent transactions would wait for each other's commit.
  await enqueueJob(tx, deletionJob, {}, { maxAttempts: deletionAttempts });
}

/** Longer than any write of a file and the transaction after it take. */
const graceSeconds = 15 * 60;

/**
 * Call it before you write a file, and `keepFile` in the transaction that stores its row. If that transaction never commits,
 * a job deletes the file.
 */
export const scheduleDeletionUnlessKept = (
  db: Database,
  file: { teamId: string; key: string },
): Promise<string> =>
  insertLaterDeletion(db, { teamId: file.teamId, kind: 'file', ref: file.key }, graceSeconds);

/** Throws if the deletion of the file has begun. The row must not be stored then. */
export async function keepFile(tx: Transaction | Database, deletionId: string): Promise<void> {
  if (!(await deleteUnclaimedDeletion(tx, deletionId)))
    throw new Error('the file of a medium was deleted because its row was not stored in time');
}
