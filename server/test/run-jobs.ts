import { Registry } from 'prom-client';
import { connectDatabase, type Database } from '../src/platform/database/database.ts';
import type { Job } from '../src/platform/jobs/job.ts';
import { createJobMeters } from '../src/platform/jobs/job-metrics.ts';
import { startJobRunner } from '../src/platform/jobs/runner.ts';
import { createLogger, type Logger } from '../src/platform/shared/logger.ts';

interface Shared {
  db: Database;
  logger: Logger;
}

/** Runs jobs, one at a time, in a process that a test kills. */
export async function runJobs(databaseUrl: string, createJobs: (shared: Shared) => Job[]): Promise<void> {
  const logger = createLogger('silent');
  const { db } = connectDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'job worker', logger });
  await startJobRunner({
    databaseUrl,
    db,
    logger,
    meters: createJobMeters(new Registry()),
    concurrency: 1,
    leaseSeconds: 1,
    jobs: createJobs({ db, logger }),
  });
}
