import { setTimeout } from 'node:timers/promises';
import type { WorkerEvents } from 'graphile-worker';
import type { Database } from '../database/database.ts';
import type { Logger } from '../shared/logger.ts';
import { deleteRunner, unlockJobsOfDeadRunners, unlockLostJobs, writeHeartbeat } from './runner.queries.ts';

export interface Heartbeat {
  /** Beats no more, and takes the runner's name off the list of the living. */
  stop(): Promise<void>;
}

/**
 * Tells the others that this runner lives, and frees what the dead have locked. What this runner has locked and knows
 * nothing of is free after a lease as well: the answer to its fetch was lost with a connection.
 */
export function startHeartbeat(
  { db, logger, leaseSeconds }: { db: Database; logger: Logger; leaseSeconds: number },
  { runnerId, held }: { runnerId: string; held: () => string[] },
): Heartbeat {
  const leaseMs = leaseSeconds * 1000;
  const betweenBeatsMs = leaseMs / 5;
  const mayJudge = createSilenceCheck(leaseMs, betweenBeatsMs);
  const stopped = new AbortController();
  const beat = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        await writeHeartbeat(db, runnerId);
        if (mayJudge()) await unlockJobsOfDeadRunners(db, leaseSeconds);
        await unlockLostJobs(db, { runnerId, held: held(), leaseSeconds });
      } catch (error) {
        logger.warn({ err: error }, 'the heartbeat of the jobs did not get through');
      }
      await setTimeout(betweenBeatsMs, undefined, { signal: stopped.signal }).catch(() => undefined); // stopped
    }
  };
  const beating = beat();
  return {
    async stop() {
      stopped.abort();
      await beating;
      await deleteRunner(db, runnerId).catch(() => undefined); // it is forgotten after its lease as well
    },
  };
}

/**
 * Answers what to ask after each beat: whether those that were silent for a lease are dead. What kept this runner's own
 * beats back, a database that stood still or a pause of this process, may have kept theirs, too: from then on they have
 * a lease to be heard.
 */
function createSilenceCheck(leaseMs: number, betweenBeatsMs: number): () => boolean {
  let lastBeat = performance.now();
  let hearingSince = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    // Shorter ones, with a beat before and one after, do not make a lease.
    if (now - lastBeat > leaseMs - 2 * betweenBeatsMs) hearingSince = now;
    lastBeat = now;
    return now - hearingSince > leaseMs;
  };
}

/**
 * Listens to what the runner tells of its jobs. Answers how to tell the ids of those that are its own: which it runs, and
 * which ended within the last lease. It tells of an end before that is written, and whoever ran such a job a second time
 * would lose the row under it when the writing comes late.
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
    const longAgo = performance.now() - leaseSeconds * 1000;
    for (const [id, at] of endedAt) if (at < longAgo) endedAt.delete(id);
    return [...running, ...endedAt.keys()];
  };
}
