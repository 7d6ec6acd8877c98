/**
 * A program that runs jobs on the database in its argument. The job `hold` messages the parent when it starts and never
 * ends.
 */
import { runJobs } from './run-jobs.ts';

const [databaseUrl = ''] = process.argv.slice(2);

await runJobs(databaseUrl, () => [
  {
    name: 'hold',
    maxAttempts: 3,
    run: () => {
      process.send?.('begun');
      return new Promise(() => undefined);
    },
  },
]);
