import type {
  AssistantProvider,
  OwnedObject,
} from '../../knowledge/assistant-provider/assistant-provider.ts';
import { parseFileKey } from '../../knowledge/documents/file-keys.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { isUuid } from '../../platform/shared/ids.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { ExternalObject } from '../../records/external-deletions/external-deletions.sql.ts';
import { scheduleDeletion } from '../../records/external-deletions/external-deletions.ts';
import { selectOrphanFiles, selectOrphanObjects } from './orphans.queries.ts';

/** Younger objects may be about to get their row. */
const gracePeriodMs = 60 * 60 * 1000;
const batchSize = 500;

/** An orphan is an object of this installation that no row refers to. */
export async function scheduleOrphanDeletion(
  deps: {
    db: Database;
    provider: Pick<AssistantProvider, 'listOwned'>;
    fileStore: Pick<FileStore, 'list'>;
    clock: Clock;
    logger: Pick<Logger, 'info'>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { db, provider, fileStore, clock, logger } = deps;
  const scheduleAll = async (orphans: ExternalObject[]) => {
    if (orphans.length === 0) return;
    await db.transaction().execute((tx) => scheduleDeletion(tx, orphans));
    logger.info({ orphans: orphans.length }, 'scheduled the deletion of orphans');
  };
  const youngest = new Date(clock.now().getTime() - gracePeriodMs);
  const isOldAndOurs = ({ createdAt, tag }: OwnedObject) =>
    createdAt < youngest && isUuid(tag.teamId) && isUuid(tag.objectId);
  for await (const objects of batchesOf(provider.listOwned(signal))) {
    await scheduleAll(await selectOrphanObjects(db, objects.filter(isOldAndOurs)));
  }
  for await (const keys of batchesOf(fileStore.list(''))) {
    if (signal.aborted) return;
    await scheduleAll(
      await selectOrphanFiles(
        db,
        keys.map(parseFileKey).filter((file) => file !== null),
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
