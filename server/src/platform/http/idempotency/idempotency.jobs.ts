import type { Database } from '../../database/database.ts';
import type { Job } from '../../jobs/job.ts';
import { deleteOldRates } from '../limits/rate-limit.queries.ts';
import { deleteOldKeys } from './idempotency.queries.ts';

const batchSize = 5_000;

export function idempotencyJobs({ db }: { db: Database }): Job[] {
  return [
    {
      name: 'forget-idempotency-keys',
      schedule: '*/10 * * * *',
      maxAttempts: 2,
      async run(_payload, signal) {
        await deleteOldRates(db);
        while (!signal.aborted) {
          if ((await deleteOldKeys(db, batchSize)) < batchSize) return;
        }
      },
    },
  ];
}
