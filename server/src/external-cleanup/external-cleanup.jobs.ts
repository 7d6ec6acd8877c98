import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';
import type { FileStore } from '../adapters/file-store/file-store.ts';
import type { Job } from '../jobs/job.ts';
import type { Clock } from '../shared/clock.ts';
import { concurrently } from '../shared/concurrently.ts';
import { withDeadline } from '../shared/deadline.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import type { Logger } from '../shared/logger.ts';
import {
  type ClaimedDeletion,
  claimDeletions,
  completeDeletion,
  postponeDeletion,
} from './external-cleanup.queries.ts';
import { deletionAttempts, deletionJob } from './external-cleanup.ts';
import { createObjectDeleter, type DeleteObject, type ExternalSystems } from './external-deletion.ts';
import { scheduleOrphanDeletion } from './orphans.ts';

/** Tombstones taken at a time, and how many of them are worked on at once. */
const roundSize = 40;
const width = 4;
/** Of one removal; a round ends well before its claims do. */
const removalMs = 25_000;
const leaseSeconds = 600;

const firstRetrySeconds = 2;
const longestRetrySeconds = 3_600;

/** Removing what is buried, and burying what nobody knows. */
export function externalCleanupJobs(
  outside: ExternalSystems & {
    provider: AssistantProvider;
    fileStore: FileStore;
    clock: Clock;
    logger: Pick<Logger, 'info' | 'warn'>;
    faultPoint: FaultPoint;
  },
): Job[] {
  return [
    {
      name: deletionJob,
      schedule: '* * * * *',
      maxAttempts: deletionAttempts,
      run: (_payload, signal) => removeBuried(outside, signal),
    },
    {
      name: 'bury-orphans',
      schedule: '17 * * * *',
      maxAttempts: 2,
      run: (_payload, signal) => scheduleOrphanDeletion(outside, signal),
    },
  ];
}

interface Reporting {
  logger: Pick<Logger, 'warn'>;
  faultPoint: FaultPoint;
}

async function removeBuried(outside: ExternalSystems & Reporting, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const round = await claimDeletions(outside.db, { limit: roundSize, leaseSeconds });
    if (round.length === 0) return;
    const remove = createObjectDeleter(outside, round);
    await concurrently(round, width, (tombstone) => removeOne(outside, remove, tombstone, signal));
  }
}

/** A failure is written beside the tombstone and the others go on. */
async function removeOne(
  { db, logger, faultPoint }: ExternalSystems & Reporting,
  remove: DeleteObject,
  tombstone: ClaimedDeletion,
  signal: AbortSignal,
): Promise<void> {
  try {
    const outcome = await withDeadline(removalMs, (until) => remove(tombstone, until), signal);
    faultPoint('tombstone.after_delete');
    if (outcome === 'gone') await completeDeletion(db, tombstone);
    else await postponeDeletion(db, tombstone, { seconds: 0, error: null });
  } catch (error) {
    const { kind, ref, attempts } = tombstone;
    logger.warn({ err: error, kind, ref, attempts }, 'not removed yet');
    await postponeDeletion(db, tombstone, { seconds: retryAfter(attempts), error: String(error) });
  }
}

/** Doubles from try to try, up to an hour, and scatters so that what failed together does not come back together. */
function retryAfter(attempts: number): number {
  const longest = Math.min(longestRetrySeconds, firstRetrySeconds * 2 ** Math.min(attempts, 20));
  return longest * (0.5 + Math.random() / 2);
}
