import type { AssistantProvider } from '../adapters/assistant-provider/assistant-provider.ts';
import type { Database } from '../database/database.ts';
import { enqueueJob } from '../jobs/enqueue.ts';
import { withDeadline } from '../shared/deadline.ts';
import type { Logger } from '../shared/logger.ts';
import { forEachConcurrently } from '../shared/semaphore.ts';
import { claimProcessing, isAnyProcessing, writeProviderStatus } from './documents.queries.ts';

/** The job that asks the provider about documents it was still reading. */
export const readinessJob = { name: 'ask-for-readiness', maxAttempts: 5 };

const documentsARound = 100;
const width = 4;
const betweenSeconds = 3;
const askingMs = 10_000;

export interface ReadinessDependencies {
  db: Database;
  provider: Pick<AssistantProvider, 'documentStatus'>;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Asks about every document in turn, and again until each is ready or failed. One that takes more than an hour has
 * failed. A question that went wrong is asked again.
 */
export async function askForReadiness(
  { db, provider, logger }: ReadinessDependencies,
  signal: AbortSignal,
): Promise<void> {
  const processing = await claimProcessing(db, { limit: documentsARound, betweenSeconds });
  await forEachConcurrently(processing, width, async ({ id, ref, overdue }) => {
    try {
      const status = await withDeadline(askingMs, (until) => provider.documentStatus(ref, until), signal);
      if (status !== 'processing') return await writeProviderStatus(db, id, status);
    } catch (error) {
      logger.warn(
        { err: error, documentId: id },
        'the provider did not say whether it has read the document',
      );
    }
    if (overdue) await writeProviderStatus(db, id, 'failed');
  });
  if (await isAnyProcessing(db)) {
    const runAt = new Date(Date.now() + betweenSeconds * 1000);
    await enqueueJob(
      db,
      readinessJob.name,
      {},
      { key: readinessJob.name, runAt, maxAttempts: readinessJob.maxAttempts },
    );
  }
}
