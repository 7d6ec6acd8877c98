import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { createEncryption } from '../../src/platform/shared/encryption.ts';
import { createLocalFileStore } from '../../src/ports/file-store/local.ts';
import { openTestContext } from '../harness.ts';
import { createTestDatabase } from '../test-database.ts';
import { runParley } from './run-parley.ts';

export type Cell = Awaited<ReturnType<typeof createCell>>;

/** A deployment with its own database, files below `scratch` and encryption key. It closes after the tests. */
export async function createCell(scratch: string, key: number) {
  const database = await createTestDatabase();
  const encryptionKey = Buffer.alloc(32, key);
  const context = await openTestContext(database.url, { encryptionKeys: [encryptionKey] });
  after(async () => {
    await context.close();
    await database.drop();
  });
  const dataDir = await mkdtemp(join(scratch, 'cell-'));
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
  };
  return {
    db: context.db,
    encryption: createEncryption(encryptionKey),
    environment,
    dataDir,
    files: createLocalFileStore({ root: join(dataDir, 'files') }),
    run: (...args: string[]) => runParley(['team', ...args], environment),
  };
}
