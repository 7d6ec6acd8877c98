import type { Job } from '../../platform/jobs/job.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { indexDocument } from './documents.ts';
import { indexVersion } from './index-terms.ts';
import { type Db, findDocumentsToIndex } from './knowledge.queries.ts';
import { createStemming } from './stemming.ts';
import { createTimeSlicer } from './time-slices.ts';

/**
 * Indexes documents again that an earlier version of Parley indexed by other rules, also one that still runs during an
 * upgrade. A repeated run continues with the next document. The teams take turns, so that none waits for all documents of
 * another one.
 */
export function indexDocumentsJob(deps: {
  db: Db;
  installationId: string;
  logger: Pick<Logger, 'info'>;
}): Job {
  const { db, installationId, logger } = deps;
  const context = { db, stemming: createStemming(db), yieldControl: createTimeSlicer()() };
  return {
    name: 'index-documents',
    schedule: '* * * * *',
    maxAttempts: 2,
    oneAtATime: true,
    async run(_payload, signal) {
      for (let indexed = 0; ; ) {
        const documents = await findDocumentsToIndex(db, installationId, indexVersion);
        if (documents.length === 0) {
          if (indexed > 0)
            logger.info({ documents: indexed, indexVersion }, 'all documents are indexed again');
          return;
        }
        for (const document of documents) {
          await indexDocument(context, document, signal);
          if (signal.aborted) return;
          indexed += 1;
        }
      }
    },
  };
}
