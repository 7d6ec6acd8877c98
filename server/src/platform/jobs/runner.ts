import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { parseCronItems, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { ClientBase, Pool } from 'pg';
import { handleConnectionErrors } from '../database/broken-connections.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../shared/logger.ts';
import { JobConnections } from './connections.ts';
import { type Heartbeat, startHeartbeat, trackHeldJobs } from './heartbeat.ts';
import type { Job } from './job.ts';
import { createJobLogger } from './job-logger.ts';
import type { JobMeters } from './job-metrics.ts';

export interface JobRunner {
  /** Waits for the running jobs, whose signal aborts after 2 s. */
  stop(): Promise<void>;
}

export interface JobRunnerOptions {
  databaseUrl: string;
  /** Runs on each new connection of the job library. */
  onConnect?: (client: ClientBase) => Promise<void>;
  db: Database;
  jobs: readonly Job[];
  logger: Logger;
  meters: JobMeters;
  concurrency: number;
  /** A runner without a heartbeat for this long loses its jobs to others. */
  leaseSeconds?: number;
}

const abortAfterMs = 2_000;
const restartAfterMs = 1_000;
const retryIntervalMs = 200;

/** Requires the installed schema. Other runners repeat the jobs of a killed process after `leaseSeconds`. */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const { databaseUrl, logger } = options;
  const pool = new JobConnections(databaseUrl, logger, options.onConnect);
  handleConnectionErrors(pool, logger, 'an idle connection of the jobs broke');

  const stopping = new AbortController();
  const first = await launch(options, pool, stopping.signal);
  const supervise = async (): Promise<void> => {
    let current: Launched | null = first;
    while (current !== null) {
      await waitForEnd(current, stopping.signal);
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

async function waitForEnd({ runner, heartbeat }: Launched, stopping: AbortSignal): Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped = runner.stop().catch(() => undefined); // already ended
  };
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  await runner.promise.catch(() => undefined); // the library has logged it
  stopping.removeEventListener('abort', stop);
  await stopped;
  await heartbeat.stop();
}

async function relaunch(
  options: JobRunnerOptions,
  pool: Pool,
  stopping: AbortSignal,
): Promise<Launched | null> {
  while (!stopping.aborted) {
    options.logger.warn('the job runner ended; restarting it');
    try {
      await setTimeout(restartAfterMs, undefined, { signal: stopping });
      return await launch(options, pool, stopping);
    } catch (error) {
      if (!stopping.aborted) options.logger.warn({ err: error }, 'the job runner could not start');
    }
  }
  return null;
}

interface Launched {
  runner: Runner;
  heartbeat: Heartbeat;
}

async function launch(options: JobRunnerOptions, pool: Pool, stopping: AbortSignal): Promise<Launched> {
  // The library types the payload of each event. Node's class is the emitter that it expects at run time.
  const events = new EventEmitter() as WorkerEvents;
  const created = Promise.withResolvers<string>();
  events.once('pool:create', ({ workerPool }) => created.resolve(workerPool.id));
  const { db, logger, leaseSeconds = 15 } = options;
  const held = trackHeldJobs(events, leaseSeconds);
  const firstFetch = watchFirstFetch(events);
  const runner = await run({
    pgPool: pool,
    concurrency: options.concurrency,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: abortAfterMs,
    // A failed batch ends the runner. A failed single write would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: createJobLogger(options.logger),
    events,
    taskList: createTaskList(options, () => waitForDatabase(pool, stopping)),
    parsedCronItems: createCronItems(options.jobs),
  });
  // The library looks up its tasks once, before the first fetch. If that fails, so does every later fetch.
  void firstFetch.then(async (outcome) => {
    if (outcome === 'fetched') return;
    await setTimeout(retryIntervalMs, undefined, { ref: false }); // lets it notice its other broken connections
    await runner.stop().catch(() => undefined); // already stopping
  });
  // The library can only unlock all jobs of a runner, so replace the runner by one with a new id.
  const onLostJob = () => {
    logger.warn('the job runner lost the reply to a fetch');
    runner.stop().catch(() => undefined); // already stopping
  };
  const runnerId = await created.promise;
  const heartbeat = startHeartbeat({ db, logger, leaseSeconds }, { runnerId, held, onLostJob });
  return { runner, heartbeat };
}

function watchFirstFetch(events: WorkerEvents): Promise<'fetched' | 'failed'> {
  const { promise, resolve } = Promise.withResolvers<'fetched' | 'failed'>();
  events.once('job:start', () => resolve('fetched'));
  events.once('worker:getJob:empty', () => resolve('fetched'));
  events.once('worker:getJob:error', () => resolve('failed'));
  return promise;
}

/** If the library cannot write the end of a job, the job runs a second time. */
async function waitForDatabase(pool: Pool, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await pool.query('select');
      return;
    } catch {
      await setTimeout(retryIntervalMs, undefined, { signal: stopping }).catch(() => undefined); // stopping
    }
  }
}

function createTaskList(
  { jobs, logger, meters }: Pick<JobRunnerOptions, 'jobs' | 'logger' | 'meters'>,
  untilDatabaseResponds: () => Promise<void>,
): TaskList {
  const task =
    (job: Job): TaskList[string] =>
    async (payload, { abortSignal, job: { attempts } }) => {
      const startedAt = performance.now();
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
        await untilDatabaseResponds();
        throw error;
      }
      logger.debug({ job: job.name, ms: measured('done') }, 'job done');
      await untilDatabaseResponds();
    };
  return Object.fromEntries(jobs.map((job) => [job.name, task(job)]));
}

/** The job key keeps scheduled runs from piling up while no worker runs. */
function createCronItems(jobs: readonly Job[]) {
  return parseCronItems(
    jobs.flatMap(({ name, schedule, maxAttempts, oneAtATime = false }) =>
      schedule === undefined
        ? []
        : [
            {
              task: name,
              match: schedule,
              options: {
                backfillPeriod: 0,
                maxAttempts,
                jobKey: name,
                ...(oneAtATime ? { queueName: name } : {}),
              },
            },
          ],
    ),
  );
}
