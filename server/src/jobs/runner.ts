import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { parseCronItems, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import { handleConnectionErrors } from '../database/broken-connections.ts';
import type { Database } from '../database/database.ts';
import type { JobMeters } from '../metrics/job-metrics.ts';
import type { Logger } from '../shared/logger.ts';
import { JobConnections } from './connections.ts';
import { type Heartbeat, startHeartbeat, trackHeldJobs } from './heartbeat.ts';
import type { Job } from './job.ts';
import { jobLogger } from './job-logger.ts';

export interface JobRunner {
  /** Takes no more jobs, lets the running ones end (their signal aborts soon), and releases the connections. */
  stop(): Promise<void>;
}

export interface JobRunnerOptions {
  databaseUrl: string;
  db: Database;
  jobs: readonly Job[];
  logger: Logger;
  meters: JobMeters;
  /** Jobs run at a time. */
  concurrency: number;
  /** A runner silent for this long is dead, and what it had locked is free again. */
  leaseSeconds?: number;
}

const abortAfterMs = 2_000;
const restartAfterMs = 1_000;
const betweenTriesMs = 200;

/**
 * Runs the jobs of the queue, any number of processes side by side. The schema must be installed. A job whose process
 * was killed is run again by another within some `leaseSeconds` of it.
 */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const { databaseUrl, logger } = options;
  const pool = new JobConnections(databaseUrl);
  handleConnectionErrors(pool, logger, 'an idle connection of the jobs broke');

  const stopping = new AbortController();
  const first = await launch(options, pool, stopping.signal);
  /** The library gives up on some failures of the database; we do not. */
  const supervise = async (): Promise<void> => {
    let current: Launched | null = first;
    while (current !== null) {
      await untilItEnds(current, stopping.signal);
      current = await relaunch(options, pool, stopping.signal);
    }
  };
  const ended = supervise();

  return {
    async stop() {
      stopping.abort();
      await ended;
      await pool.end();
    },
  };
}

/** By itself, or because it is told to stop, which it may have been while it was still starting. */
async function untilItEnds({ runner, heart }: Launched, stopping: AbortSignal): Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped = runner.stop().catch(() => undefined); // it had ended by itself
  };
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  await runner.promise.catch(() => undefined); // the library has logged it
  stopping.removeEventListener('abort', stop);
  await stopped;
  await heart.stop();
}

/** Starts again, however long the database is away; null when told to stop. */
async function relaunch(
  options: JobRunnerOptions,
  pool: Pool,
  stopping: AbortSignal,
): Promise<Launched | null> {
  while (!stopping.aborted) {
    options.logger.warn('the job runner ended; starting it again');
    try {
      await setTimeout(restartAfterMs, undefined, { signal: stopping });
      return await launch(options, pool, stopping);
    } catch (error) {
      if (!stopping.aborted) options.logger.warn({ err: error }, 'the job runner does not start');
    }
  }
  return null;
}

interface Launched {
  runner: Runner;
  heart: Heartbeat;
}

async function launch(options: JobRunnerOptions, pool: Pool, stopping: AbortSignal): Promise<Launched> {
  // An emitter of exactly these events, as the library's own default.
  const events = new EventEmitter() as unknown as WorkerEvents;
  const created = Promise.withResolvers<string>();
  events.once('pool:create', ({ workerPool }) => created.resolve(workerPool.id));
  const { db, logger, leaseSeconds = 15 } = options;
  const held = trackHeldJobs(events, leaseSeconds);
  const firstFetch = outcomeOfFirstFetch(events);
  const runner = await run({
    pgPool: pool,
    concurrency: options.concurrency,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: abortAfterMs,
    // Of a batch, even of one, the library looks whether it is written: where it is not, the runner ends and not the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: jobLogger(options.logger),
    events,
    taskList: taskListOf(options, () => whenReached(pool, stopping)),
    parsedCronItems: cronItemsOf(options.jobs),
  });
  // It looks its tasks up once, before its first fetch, and fails every later one where that failed: a new one is needed.
  void firstFetch.then(async (outcome) => {
    if (outcome === 'fetched') return;
    await setTimeout(betweenTriesMs, undefined, { ref: false }); // what broke with it, it hears of before it stops
    await runner.stop().catch(() => undefined); // it is being stopped
  });
  return {
    runner,
    heart: startHeartbeat({ db, logger, leaseSeconds }, { runnerId: await created.promise, held }),
  };
}

function outcomeOfFirstFetch(events: WorkerEvents): Promise<'fetched' | 'failed'> {
  const { promise, resolve } = Promise.withResolvers<'fetched' | 'failed'>();
  events.once('job:start', () => resolve('fetched'));
  events.once('worker:getJob:empty', () => resolve('fetched'));
  events.once('worker:getJob:error', () => resolve('failed'));
  return promise;
}

/**
 * Where the library cannot write what became of a job, the runner ends and the job runs again. So a job ends when the
 * database answers, on the connection that is used next.
 */
async function whenReached(pool: Pool, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await pool.query('select');
      return;
    } catch {
      // Whoever needs the database meanwhile says that it is away.
      await setTimeout(betweenTriesMs, undefined, { signal: stopping }).catch(() => undefined); // told to stop
    }
  }
}

function taskListOf(
  { jobs, logger, meters }: Pick<JobRunnerOptions, 'jobs' | 'logger' | 'meters'>,
  databaseAnswers: () => Promise<void>,
): TaskList {
  const task =
    (job: Job): TaskList[string] =>
    async (payload, { abortSignal, job: { attempts } }) => {
      const startedAt = performance.now();
      // Written by enqueueJob, or by the schedule, which adds a note of its own.
      const { _cron: _, ...given } = payload as Record<string, unknown>;
      const measured = (outcome: 'done' | 'failed'): number => {
        const ms = performance.now() - startedAt;
        meters.ended.inc({ job: job.name, outcome });
        meters.durations.observe({ job: job.name }, ms / 1000);
        return Math.round(ms);
      };
      try {
        await job.run(given, abortSignal);
      } catch (error) {
        measured('failed');
        logger.warn({ err: error, job: job.name, attempts }, 'job failed');
        await databaseAnswers();
        throw error;
      }
      logger.debug({ job: job.name, ms: measured('done') }, 'job done');
      await databaseAnswers();
    };
  return Object.fromEntries(jobs.map((job) => [job.name, task(job)]));
}

/** A scheduled job waits under its own name, so that runs do not pile up while no worker runs. */
function cronItemsOf(jobs: readonly Job[]) {
  return parseCronItems(
    jobs.flatMap(({ name, schedule, maxAttempts }) =>
      schedule === undefined
        ? []
        : [{ task: name, match: schedule, options: { backfillPeriod: 0, maxAttempts, jobKey: name } }],
    ),
  );
}
