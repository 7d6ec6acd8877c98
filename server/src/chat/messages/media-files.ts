import { mediaKey } from '../../knowledge/documents/file-keys.ts';
import type { Database } from '../../platform/database/database.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { scheduleDeletionUnlessKept } from '../../records/external-deletions/external-deletions.ts';

/** A file that is deleted again unless the transaction of its medium's row keeps it. */
export interface StagedFile {
  fileKey: string;
  size: number;
  deletionId: string;
}

/** The bytes of a medium, or the file that already has them. */
export type StoredBytes = Uint8Array | StagedFile;

export interface MediaFiles {
  /** Puts large media into the file store. Call it before the transaction that stores the row. */
  stage(teamId: string, bytes: Uint8Array): Promise<StoredBytes>;
}

/** Media up to this size are in the database. The migrations and the move of media repeat it. */
const maxBytesInTable = 65_536;

/** A store that hangs must not delay messages longer. Large files get more time. */
const baseTimeoutMs = 5_000;
const minBytesPerMs = 500;

interface Dependencies {
  db: Database;
  fileStore: Pick<FileStore, 'put'>;
  logger: Pick<Logger, 'warn'>;
}

/** While the store fails, large media stay in the database, and a job moves them later. */
export function createMediaFiles(dependencies: Dependencies): MediaFiles {
  return {
    async stage(teamId, bytes) {
      if (bytes.length <= maxBytesInTable) return bytes;
      try {
        return await stageFile(dependencies, teamId, bytes);
      } catch (error) {
        dependencies.logger.warn(
          { err: error, teamId },
          'a medium stays in the database until the file store works',
        );
        return bytes;
      }
    },
  };
}

/** Rejects if the file store fails. */
export async function stageFile(
  { db, fileStore }: Omit<Dependencies, 'logger'>,
  teamId: string,
  bytes: Uint8Array,
): Promise<StagedFile> {
  const fileKey = mediaKey(teamId, newId());
  const deletionId = await scheduleDeletionUnlessKept(db, { teamId, key: fileKey });
  await withDeadline(baseTimeoutMs + bytes.length / minBytesPerMs, () => fileStore.put(fileKey, bytes));
  faultPoint('media.after_put');
  return { fileKey, size: bytes.length, deletionId };
}

/** Stages the bytes of a record that has some. */
export async function stageBytes<Medium extends { bytes: Uint8Array }>(
  files: MediaFiles,
  teamId: string,
  medium: Medium,
): Promise<Omit<Medium, 'bytes'> & { bytes: StoredBytes }> {
  return { ...medium, bytes: await files.stage(teamId, medium.bytes) };
}
