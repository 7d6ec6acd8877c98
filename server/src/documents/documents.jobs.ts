import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { askForReadiness, type ReadinessDependencies, readinessJob } from './readiness.ts';
import { lockStaleUploads } from './upload.queries.ts';
import { abandonUpload } from './upload.ts';

const uploadsABatch = 100;

/** What uploads leave to be done after their answer. */
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

/** Undoes the uploads whose process died on the way. */
async function reconcileUploads(db: Database, signal: AbortSignal): Promise<void> {
  let found: number;
  do {
    found = await db.transaction().execute(async (tx) => {
      const stale = await lockStaleUploads(tx, uploadsABatch);
      // Teams in order, as by all who count for several, so that none waits for another that waits for it.
      const byTeam = stale.toSorted((a, b) => (a.teamId < b.teamId ? -1 : 1));
      for (const upload of byTeam) await abandonUpload(tx, { ...upload, whereabouts: null });
      return stale.length;
    });
  } while (found === uploadsABatch && !signal.aborted);
}
