import type { Database, Transaction } from '../../platform/database/database.ts';
import { nullIfLocked } from '../../platform/database/lock-timeout.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { askForReadiness, type ReadinessDependencies, readinessJob } from './readiness.ts';
import { lockStaleUploads, selectTeamsWithStaleUploads } from './upload.queries.ts';
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

/** Rolls back the uploads of processes that died. Skips teams with locked rows until the next run. */
async function reconcileUploads(db: Database, signal: AbortSignal): Promise<void> {
  for (const teamId of await selectTeamsWithStaleUploads(db)) {
    if (signal.aborted) return;
    await nullIfLocked(() => db.transaction().execute((tx) => undoStaleUploads(tx, teamId)));
  }
}

async function undoStaleUploads(tx: Transaction, teamId: string): Promise<void> {
  for (const upload of await lockStaleUploads(tx, teamId, uploadsABatch))
    await abandonUpload(tx, { ...upload, location: null });
}
