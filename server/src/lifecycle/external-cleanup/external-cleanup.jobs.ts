import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { forEachConcurrently } from '../../platform/shared/semaphore.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import {
  type ClaimedDeletion,
  claimDeletions,
  completeDeletion,
  postponeDeletion,
} from '../../records/external-deletions/external-deletions.sql.ts';
import {
  deletionAttempts,
  deletionJob,
  orphanJob,
} from '../../records/external-deletions/external-deletions.ts';
import { createObjectDeleter, type DeleteObject, type ExternalSystems } from './external-deletion.ts';
import { scheduleOrphanDeletion } from './orphans.ts';

const batchSize = 8;
const concurrency = 4;
/** Timeout of one deletion. A whole batch ends before its lease, which delays the deletions of a killed worker. */
const deletionTimeoutMs = 25_000;
const leaseSeconds = 60;

const firstRetrySeconds = 2;
const longestRetrySeconds = 3_600;

export function externalCleanupJobs(
  deps: ExternalSystems & {
    provider: AssistantProvider;
    fileStore: FileStore;
    clock: Clock;
    logger: Pick<Logger, 'info' | 'warn'>;
  },
): Job[] {
  return [
    {
      name: deletionJob,
      schedule: '* * * * *',
      maxAttempts: deletionAttempts,
      run: (_payload, signal) => deleteScheduledObjects(deps, signal),
    },
    {
      name: orphanJob,
      schedule: '17 * * * *',
      maxAttempts: 2,
      run: (_payload, signal) => scheduleOrphanDeletion(deps, signal),
    },
  ];
}

interface Reporting {
  logger: Pick<Logger, 'warn'>;
}

async function deleteScheduledObjects(deps: ExternalSystems & Reporting, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const batch = await claimDeletions(deps.db, { limit: batchSize, leaseSeconds });
    if (batch.length === 0) return;
    const deleteObject = createObjectDeleter(deps, batch);
    await forEachConcurrently(batch, concurrency, (deletion) =>
      deleteOne(deps, deleteObject, deletion, signal),
    );
  }
}

async function deleteOne(
  { db, logger }: ExternalSystems & Reporting,
  deleteObject: DeleteObject,
  deletion: ClaimedDeletion,
  signal: AbortSignal,
): Promise<void> {
  try {
    const outcome = await withDeadline(
      deletionTimeoutMs,
      (deadline) => deleteObject(deletion, deadline),
      signal,
    );
    faultPoint('tombstone.after_delete');
    if (outcome === 'deleted') await completeDeletion(db, deletion);
    else await postponeDeletion(db, deletion, { seconds: 0, error: null });
  } catch (error) {
    const { kind, ref, attempts } = deletion;
    logger.warn({ err: error, kind, ref, attempts }, 'external deletion failed, will retry');
    await postponeDeletion(db, deletion, { seconds: backoffSeconds(attempts), error: String(error) });
  }
}

/** Exponential backoff up to an hour, with jitter so that joint failures are not retried together. Seconds. */
function backoffSeconds(attempts: number): number {
  const longest = Math.min(longestRetrySeconds, firstRetrySeconds * 2 ** Math.min(attempts, 20));
  return longest * (0.5 + Math.random() / 2);
}
