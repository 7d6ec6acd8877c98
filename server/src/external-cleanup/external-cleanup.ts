import type { Transaction } from '../database/database.ts';
import { enqueueJob } from '../jobs/enqueue.ts';
import { insertDeletions } from './external-cleanup.queries.ts';

/** Objects that are not deleted together with their owner's row, and the meaning of their `ref`. */
export type ExternalObjectKind =
  | 'assistant' // the provider's ref
  | 'knowledge' // the provider's ref
  | 'document' // the provider's ref
  | 'tagged' // id of a bot or document: every object with that tag at the provider
  | 'file' // the key in the file store
  | 'session' // the device's id: deleted by the pool
  | 'team_rows'; // the team's id: its messages, conversations and answers

export interface ExternalObject {
  teamId: string;
  kind: ExternalObjectKind;
  ref: string;
}

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
