import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { keepFile } from '../../records/external-deletions/external-deletions.ts';
import { type MediumToMove, selectBytes, selectMediaToMove, updateMovedMedium } from './media.queries.ts';
import { stageFile } from './media-files.ts';

interface Dependencies {
  db: Database;
  fileStore: Pick<FileStore, 'put'>;
  logger: Pick<Logger, 'info'>;
}

const batchSize = 100;
const first = { messageId: '00000000-0000-0000-0000-000000000000', position: 0 };

/**
 * Moves large media from the database to the file store: those of earlier versions, and those that arrived while the store
 * failed. Each medium has a transaction of its own, so a repeated run continues where the last one ended.
 */
export const moveMediaJob = (deps: Dependencies): Job => ({
  name: 'move-media',
  schedule: '* * * * *',
  maxAttempts: 2,
  oneAtATime: true,
  async run(_payload, signal) {
    let moved = 0;
    let after: { messageId: string; position: number } = first;
    while (!signal.aborted) {
      const media = await selectMediaToMove(deps.db, after, batchSize);
      for (const medium of media) {
        if (signal.aborted) return;
        if (await moveMedium(deps, medium)) moved += 1;
        after = medium;
      }
      if (media.length < batchSize) break;
    }
    if (moved > 0) deps.logger.info({ media: moved }, 'moved media to the file store');
  },
});

/** Returns false if the medium was deleted meanwhile. Its file is then deleted, too. */
async function moveMedium(deps: Dependencies, medium: MediumToMove): Promise<boolean> {
  const bytes = await selectBytes(deps.db, medium);
  if (bytes === null) return false;
  const file = await stageFile(deps, medium.teamId, bytes);
  return deps.db.transaction().execute(async (tx) => {
    if (!(await updateMovedMedium(tx, medium, file))) return false;
    await keepFile(tx, file.deletionId);
    return true;
  });
}
