import { fileTypeFromBuffer } from 'file-type';
import type { Database } from '../../platform/database/database.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import type { ModelImage } from '../../ports/language-model/language-model.ts';
import { selectNewestImages } from '../messages/messages.sql.ts';
import { readMedium } from '../messages/read-medium.ts';
import type { ConversationContext } from './conversation-context.queries.ts';

/** Limits that every provider accepts in one request, so that none refuses a conversation because of its images. */
const limits = { maxImages: 4, maxImageBytes: 3_500_000, maxTotalBytes: 8_000_000 };
const readableTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Returns the newest images of the contact that a model can read, by message id. */
export async function loadImages(
  { db, fileStore }: { db: Database; fileStore: Pick<FileStore, 'get'> },
  { history, unanswered }: Pick<ConversationContext, 'history' | 'unanswered'>,
): Promise<ReadonlyMap<string, ModelImage>> {
  const sent = history.filter(({ direction }) => direction === 'in');
  const ids = [...sent, ...unanswered]
    .filter(({ kind, withdrawn }) => kind === 'image' && withdrawn !== 'deleted')
    .map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const images = new Map<string, ModelImage>();
  for (const { messageId, ...stored } of await selectNewestImages(db, ids, limits)) {
    const bytes = await readMedium(fileStore, stored);
    if (bytes === null) continue;
    const mimeType = (await fileTypeFromBuffer(bytes))?.mime;
    if (mimeType !== undefined && readableTypes.has(mimeType)) images.set(messageId, { mimeType, bytes });
  }
  return images;
}
