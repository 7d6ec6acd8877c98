import type { Database } from '../../platform/database/database.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { forEachConcurrently } from '../../platform/shared/semaphore.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { claimProcessing, isAnyProcessing, writeProviderStatus } from './documents.queries.ts';

export const readinessJob = { name: 'ask-for-readiness', maxAttempts: 5 };

const batchSize = 100;
const concurrency = 4;
const intervalSeconds = 3;
const timeoutMs = 10_000;

export interface ReadinessDependencies {
  db: Database;
  provider: Pick<AssistantProvider, 'documentStatus'>;
  logger: Pick<Logger, 'warn'>;
}

/** Polls the provider until all documents are ready or failed. A document fails after an hour. */
export async function askForReadiness(
  { db, provider, logger }: ReadinessDependencies,
  signal: AbortSignal,
): Promise<void> {
  const processing = await claimProcessing(db, { limit: batchSize, betweenSeconds: intervalSeconds });
  await forEachConcurrently(processing, concurrency, async ({ id, ref, overdue }) => {
    try {
      const status = await withDeadline(timeoutMs, (until) => provider.documentStatus(ref, until), signal);
      if (status !== 'processing') return await writeProviderStatus(db, id, status);
    } catch (error) {
      logger.warn({ err: error, documentId: id }, 'the provider did not return the status of the document');
    }
    if (overdue) await writeProviderStatus(db, id, 'failed');
  });
  if (await isAnyProcessing(db)) {
    const runAt = new Date(Date.now() + intervalSeconds * 1000);
    await enqueueJob(
      db,
      readinessJob.name,
      {},
      { key: readinessJob.name, runAt, maxAttempts: readinessJob.maxAttempts },
    );
  }
}
