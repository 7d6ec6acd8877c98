import { join } from 'node:path';
import type { Database } from '../platform/database/database.ts';
import { type DocumentPlace, requireDocumentFolder } from '../platform/database/document-folder.ts';
import { readLine, readOrCreateLine } from '../platform/shared/durable-files.ts';
import type { FileStore } from '../ports/file-store/file-store.ts';
import type { Config } from './config.ts';

/** Returns the place that the configured file store uses. */
export function findDocumentPlace(
  config: Pick<Config, 'FILE_STORE' | 'DATA_DIR' | 'S3_BUCKET'>,
  fileStore: Pick<FileStore, 'get' | 'put'>,
): DocumentPlace {
  return config.FILE_STORE === 's3'
    ? createBucketPlace(config.S3_BUCKET ?? '', fileStore)
    : createFolderPlace(config.DATA_DIR);
}

const createFolderPlace = (dataDir: string): DocumentPlace => ({
  setting: 'DATA_DIR',
  value: dataDir,
  locate: (name) => join(dataDir, name),
  readLine: (name) => readLine(join(dataDir, name)),
  readOrCreateLine: (name, line) => readOrCreateLine(join(dataDir, name), line),
});

function createBucketPlace(bucket: string, fileStore: Pick<FileStore, 'get' | 'put'>): DocumentPlace {
  const read = async (name: string): Promise<string | null> => {
    const bytes = await fileStore.get(name);
    return bytes === null ? null : Buffer.from(bytes).toString().trim();
  };
  return {
    setting: 'S3_BUCKET',
    value: bucket,
    locate: (name) => `${name} in ${bucket}`,
    readLine: read,
    // Two processes that start for the first time may both write. The process whose line the other one replaced fails. Its
    // restart succeeds.
    async readOrCreateLine(name, line) {
      if ((await read(name)) === null) await fileStore.put(name, Buffer.from(`${line}\n`));
      const current = await read(name);
      if (current === null) throw new Error(`${name} in ${bucket} was removed while it was being read`);
      return current;
    },
  };
}

/**
 * A file store for a process that must not decide where files are kept. Every call fails until an api or a worker has recorded
 * a place in the database, and if that is another place than `place`. Otherwise a pool with a folder of its own would keep media
 * that the other processes cannot read.
 */
export function onlyInPlace(fileStore: FileStore, db: Database, place: DocumentPlace): FileStore {
  let isChecked = false;
  const check = async (): Promise<void> => {
    if (isChecked) return;
    isChecked = await requireDocumentFolder(db, place);
    if (!isChecked) throw new Error('no api or worker has claimed the place of the files yet');
  };
  return {
    ...fileStore,
    put: async (...call) => check().then(() => fileStore.put(...call)),
    get: async (...call) => check().then(() => fileStore.get(...call)),
  };
}
