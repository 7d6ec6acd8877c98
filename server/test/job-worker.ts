/**
 * A program that runs jobs on the database in its argument. The job `hold` messages the parent when it starts and never
 * ends.
 */
import { Registry } from 'prom-client';
import { connectDatabase } from '../src/database/database.ts';
import { startJobRunner } from '../src/jobs/runner.ts';
import { createJobMeters } from '../src/metrics/job-metrics.ts';
import { createLogger } from '../src/shared/logger.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const logger = createLogger('silent');
const { db } = connectDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'job worker', logger });

await startJobRunner({
  databaseUrl,
  db,
  logger,
  meters: createJobMeters(new Registry()),
  concurrency: 1,
  leaseSeconds: 1,
  jobs: [
    {
      name: 'hold',
      maxAttempts: 3,
      run: () => {
        process.send?.('begun');
        return new Promise(() => undefined);
      },
    },
  ],
});
