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
  /** Called once when the runner has locked a job without knowing, because the reply to its fetch was lost. */
  onLostJob: () => void;
}

/** Records regularly that this runner is alive, and unlocks the jobs of dead runners. */
export function startHeartbeat(
  { db, logger, leaseSeconds }: { db: Database; logger: Logger; leaseSeconds: number },
  { runnerId, held, onLostJob }: MonitoredRunner,
): Heartbeat {
  const leaseMs = leaseSeconds * 1000;
  const intervalMs = leaseMs / 5;
  const othersHadTheirLease = createSilenceCheck(leaseMs, intervalMs);
  const stopped = new AbortController();
  let lostJobReported = false;
  const beat = async (): Promise<void> => {
    await writeHeartbeat(db, runnerId);
    if (othersHadTheirLease()) await unlockJobsOfDeadRunners(db, leaseSeconds);
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

// A stalled database or a paused process delays this runner's beats and perhaps those of others: they get a new lease then.
function createSilenceCheck(leaseMs: number, intervalMs: number): () => boolean {
  let lastBeat = performance.now();
  let listeningSince = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    // With a beat before and one after it, a shorter delay does not add up to a lease.
    if (now - lastBeat > leaseMs - 2 * intervalMs) listeningSince = now;
    lastBeat = now;
    return now - listeningSince > leaseMs;
  };
}

/**
 * Returns a function that lists the ids of the jobs that run or ended within the last lease. The library reports an end
 * before it writes it, and a late write would delete the row under a second run.
 */
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
