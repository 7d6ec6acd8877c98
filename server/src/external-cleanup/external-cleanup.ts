import type { Transaction } from '../database/database.ts';
import { enqueueJob } from '../jobs/enqueue.ts';
import { insertDeletions } from './external-cleanup.queries.ts';

/**
 * Objects that are not deleted together with their owner's row, and the meaning of their `ref`:
 * - `assistant`, `knowledge`, `document`: the provider's ref
 * - `tagged`: id of a bot or document; stands for every object with that tag at the provider (refs unknown)
 * - `file`: the key in the file store
 * - `session`: the device's id; the pool deletes it
 * - `team_rows`: the team's id; stands for its messages, conversations and answers
 */
export type ExternalObjectKind =
  | 'assistant'
  | 'knowledge'
  | 'document'
  | 'tagged'
  | 'file'
  | 'session'
  | 'team_rows';

export interface ExternalObject {
  teamId: string;
  kind: ExternalObjectKind;
  ref: string;
}

/** Stored in queued jobs, so the name cannot change. */
export const deletionJob = 'remove-buried';
export const deletionAttempts = 3;

/**
 * Schedules the deletion of external objects if the transaction commits. Call it in the transaction that deletes their
 * owner. A job retries each deletion until it is confirmed.
 */
export async function scheduleDeletion(tx: Transaction, objects: readonly ExternalObject[]): Promise<void> {
  if (objects.length === 0) return;
  await insertDeletions(tx, objects);
  // Without a job key: with one, concurrent transactions would wait for each other's commit.
  await enqueueJob(tx, deletionJob, {}, { maxAttempts: deletionAttempts });
}
