import type { Transaction } from '../database/database.ts';
import { enqueueJob } from '../jobs/enqueue.ts';
import { insertDeletions } from './external-cleanup.queries.ts';

/**
 * What lives outside the rows that are deleted with their owner, by `ref`:
 * - `assistant`, `knowledge`, `document`: the provider's ref;
 * - `tagged`: the id of a bot or document, for all that bears its tag at the provider when the refs are not known;
 * - `file`: the key in the file store;
 * - `session`: the device's id, taken care of by the pool;
 * - `team_rows`: the team's id, for its messages, conversations and answers.
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

/** The job that removes what is buried. */
export const deletionJob = 'remove-buried';
export const deletionAttempts = 3;

/**
 * Marks what lives outside for removal, in the transaction that deletes its owner: it is removed if and only if that
 * commits, and tried again until it is confirmed gone.
 */
export async function scheduleDeletion(tx: Transaction, objects: readonly ExternalObject[]): Promise<void> {
  if (objects.length === 0) return;
  await insertDeletions(tx, objects);
  // Without a key: under one, burying transactions would wait for each other until their ends.
  await enqueueJob(tx, deletionJob, {}, { maxAttempts: deletionAttempts });
}
