import type { AssistantProvider, OwnedObject } from '../adapters/assistant-provider/assistant-provider.ts';
import type { FileStore } from '../adapters/file-store/file-store.ts';
import type { Database } from '../database/database.ts';
import { storedFileOf } from '../documents/file-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { isUuid } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import { type ExternalObject, scheduleDeletion } from './external-cleanup.ts';
import { selectOrphanFiles, selectOrphanObjects } from './orphans.queries.ts';

/** What is younger may be about to get its row. */
const graceMs = 60 * 60 * 1000;
const batchSize = 500;

/** Buries what bears our tag at the provider, or lies in the file store, without a row that knows of it. */
export async function scheduleOrphanDeletion(
  outside: {
    db: Database;
    provider: Pick<AssistantProvider, 'listOwned'>;
    fileStore: Pick<FileStore, 'list'>;
    clock: Clock;
    logger: Pick<Logger, 'info'>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { db, provider, fileStore, clock, logger } = outside;
  const buryAll = async (orphans: ExternalObject[]) => {
    if (orphans.length === 0) return;
    await db.transaction().execute((tx) => scheduleDeletion(tx, orphans));
    logger.info({ orphans: orphans.length }, 'buried what no row knows of');
  };
  const youngest = new Date(clock.now().getTime() - graceMs);
  const isOldAndOurs = ({ createdAt, tag }: OwnedObject) =>
    createdAt < youngest && isUuid(tag.teamId) && isUuid(tag.objectId);
  for await (const objects of batchesOf(provider.listOwned(signal))) {
    await buryAll(await selectOrphanObjects(db, objects.filter(isOldAndOurs)));
  }
  for await (const keys of batchesOf(fileStore.list(''))) {
    if (signal.aborted) return;
    await buryAll(
      await selectOrphanFiles(
        db,
        keys.map(storedFileOf).filter((file) => file !== null),
      ),
    );
  }
}

async function* batchesOf<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
