import type { FileStore } from '../../ports/file-store/file-store.ts';

/** A medium as its row has it: either `bytes` or a `fileKey`. */
export interface MediumContent {
  bytes: Buffer | null;
  fileKey: string | null;
}

/** Returns null if the medium's file is missing, for example because the medium was deleted meanwhile. */
export async function readMedium(
  fileStore: Pick<FileStore, 'get'>,
  { bytes, fileKey }: MediumContent,
): Promise<Buffer | null> {
  if (bytes !== null || fileKey === null) return bytes;
  const read = await fileStore.get(fileKey);
  return read === null ? null : Buffer.from(read.buffer, read.byteOffset, read.byteLength);
}
