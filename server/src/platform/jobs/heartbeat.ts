import { setTimeout } from 'node:timers/promises';
import type { WorkerEvents } from 'graphile-worker';
import type { Database } from '../database/database.ts';
import type { Logger } from '../shared/logger.ts';
import {
  deleteRunner,
  selectHasLostJobs,
  unlockJobsOfDeadRunners,
  writeHeartbeat,
} from './runner.queries.ts';

export interface Heartbeat {
  stop(): Promise<void>;
}

interface MonitoredRunner {
  runnerId: string;
  held: () => string[];
  /** Called once when the reply to a fetch was lost, so that the runner does not know its locked job. */
  onLostJob: () => void;
}

export function startHeartbeat(
  { db, logger, leaseSeconds }: { db: Database; logger: Logger; leaseSeconds: number },
  { runnerId, held, onLostJob }: MonitoredRunner,
): Heartbeat {
  const leaseMs = leaseSeconds * 1000;
  const intervalMs = leaseMs / 5;
  const wasDelayedRecently = createDelayCheck(leaseMs, intervalMs);
  const stopped = new AbortController();
  let lostJobReported = false;
  const beat = async (): Promise<void> => {
    await writeHeartbeat(db, runnerId);
    // The same cause may have delayed other runners. Give them a new lease.
    if (!wasDelayedRecently()) await unlockJobsOfDeadRunners(db, leaseSeconds);
    if (lostJobReported || !(await selectHasLostJobs(db, { runnerId, held: held(), leaseSeconds }))) return;
    lostJobReported = true;
    onLostJob();
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await beat().catch((error) => logger.warn({ err: error }, 'the heartbeat of the job runner failed'));
      await setTimeout(intervalMs, undefined, { signal: stopped.signal }).catch(() => undefined); // stopped
    }
  };
  const running = run();
  return {
    async stop() {
      stopped.abort();
      await running;
      await deleteRunner(db, runnerId).catch(() => undefined); // the row expires after its lease
    },
  };
}

/** Returns a function that is called with each heartbeat. It returns whether one was delayed within the last lease. */
function createDelayCheck(leaseMs: number, intervalMs: number): () => boolean {
  let lastBeat = performance.now();
  let delayedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    // Delays below this length do not add up to a lease.
    if (now - lastBeat > leaseMs - 2 * intervalMs) delayedAt = now;
    lastBeat = now;
    return now - delayedAt <= leaseMs;
  };
}

/** Includes ended jobs, because a late write of the end would delete the row during a second run. */
export function trackHeldJobs(events: WorkerEvents, leaseSeconds: number): () => string[] {
  const running = new Set<string>();
  const endedAt = new Map<string, number>();
  events.on('job:start', ({ job }) => void running.add(job.id));
  events.on('job:complete', ({ job }) => {
    running.delete(job.id);
    endedAt.set(job.id, performance.now());
  });
  return () => {
    const leaseStart = performance.now() - leaseSeconds * 1000;
    for (const [id, at] of endedAt) if (at < leaseStart) endedAt.delete(id);
    return [...running, ...endedAt.keys()];
  };
}
