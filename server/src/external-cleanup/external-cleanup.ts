import type { Transaction } from '../database/database.ts';
import { enqueueJob } from '../jobs/enqueue.ts';
import { insertDeletions } from './external-cleanup.queries.ts';
import type { ExternalObject } from './external-cleanup.sql.ts';

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
