import { Registry } from 'prom-client';
import { connectDatabase, type Database } from '../src/database/database.ts';
import type { Job } from '../src/jobs/job.ts';
import { startJobRunner } from '../src/jobs/runner.ts';
import { createJobMeters } from '../src/metrics/job-metrics.ts';
import { createLogger, type Logger } from '../src/shared/logger.ts';

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
