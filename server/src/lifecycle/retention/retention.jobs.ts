import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { purgeExpired } from './retention.ts';

export const purgeExpiredJob = (deps: { db: Database; clock: Pick<Clock, 'now'> }): Job => ({
  name: 'purge-expired',
  schedule: '23 * * * *',
  maxAttempts: 2,
  oneAtATime: true,
  run: (_payload, signal) => purgeExpired(deps, signal),
});
