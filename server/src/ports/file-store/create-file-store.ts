import { join } from 'node:path';
import type { FileStore } from './file-store.ts';
import { createLocalFileStore } from './local.ts';
import { createMemoryFileStore } from './memory.ts';
import { createS3FileStore } from './s3.ts';

/** The configuration of the file store. Those of S3 are null or ignored with another store. */
export interface FileStoreConfig {
  FILE_STORE: 'local' | 'memory' | 's3';
  DATA_DIR: string;
  S3_ENDPOINT: string | null;
  S3_REGION: string;
  S3_BUCKET: string | null;
  S3_ACCESS_KEY_ID: string | null;
  S3_SECRET_ACCESS_KEY: string | null;
  S3_FORCE_PATH_STYLE: boolean | null;
}

export function createFileStore(config: FileStoreConfig): FileStore {
  const { FILE_STORE: name } = config;
  switch (name) {
    case 'local':
      return createLocalFileStore({ root: join(config.DATA_DIR, 'files') });
    case 'memory':
      return createMemoryFileStore();
    case 's3':
      return createS3FileStore({
        endpoint: config.S3_ENDPOINT,
        region: config.S3_REGION,
        bucket: config.S3_BUCKET ?? '',
        accessKeyId: config.S3_ACCESS_KEY_ID ?? '',
        secretAccessKey: config.S3_SECRET_ACCESS_KEY ?? '',
        forcePathStyle: config.S3_FORCE_PATH_STYLE ?? config.S3_ENDPOINT !== null,
      });
    default:
      return name satisfies never;
  }
}
