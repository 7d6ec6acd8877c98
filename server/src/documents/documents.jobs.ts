import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { askForReadiness, type ReadinessDependencies, readinessJob } from './readiness.ts';
import { lockStaleUploads } from './upload.queries.ts';
import { abandonUpload } from './upload.ts';

const uploadsABatch = 100;

export function documentJobs(dependencies: ReadinessDependencies): Job[] {
  return [
    {
      ...readinessJob,
      schedule: '* * * * *',
      run: (_payload, signal) => askForReadiness(dependencies, signal),
    },
    {
      name: 'reconcile-uploads',
      schedule: '* * * * *',
      maxAttempts: 2,
      run: (_payload, signal) => reconcileUploads(dependencies.db, signal),
    },
  ];
}

/** Rolls back the uploads of processes that died. */
async function reconcileUploads(db: Database, signal: AbortSignal): Promise<void> {
  let found: number;
  do {
    found = await db.transaction().execute(async (tx) => {
      const stale = await lockStaleUploads(tx, uploadsABatch);
      // Every transaction over several teams locks them in this order, which prevents deadlocks.
      const byTeam = stale.toSorted((a, b) => (a.teamId < b.teamId ? -1 : 1));
      for (const upload of byTeam) await abandonUpload(tx, { ...upload, location: null });
      return stale.length;
    });
  } while (found === uploadsABatch && !signal.aborted);
}
