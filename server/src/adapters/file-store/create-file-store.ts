import { join } from 'node:path';
import type { FileStore } from './file-store.ts';
import { createLocalFileStore } from './local.ts';
import { createMemoryFileStore } from './memory.ts';

export function createFileStore(config: { fileStore: 'local' | 'memory'; dataDir: string }): FileStore {
  switch (config.fileStore) {
    case 'local':
      return createLocalFileStore({ root: join(config.dataDir, 'files') });
    case 'memory':
      return createMemoryFileStore();
    default:
      return config.fileStore satisfies never;
  }
}
