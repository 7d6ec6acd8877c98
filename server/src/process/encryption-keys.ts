import { hasCluster } from '../platform/database/embedded/cluster.ts';
import {
  type EncryptionKeys,
  encryptionKeyFile,
  readEncryptionKeys,
  readOrCreateEncryptionKeys,
} from '../platform/shared/encryption-key.ts';
import type { Config } from './config.ts';

class EncryptionKeyLost extends Error {
  override readonly name = 'EncryptionKeyLost';
}

interface OpenedKeys {
  encryptionKeys: EncryptionKeys;
  keySource: string;
}

/** Returns the configured keys or those of the file in DATA_DIR. Creates the file only where there is no database yet. */
export async function openEncryptionKeys({
  ENCRYPTION_KEY: given,
  DATA_DIR: dataDir,
}: Pick<Config, 'ENCRYPTION_KEY' | 'DATA_DIR'>): Promise<OpenedKeys> {
  if (given !== null) return { encryptionKeys: given, keySource: 'ENCRYPTION_KEY' };
  const keySource = encryptionKeyFile(dataDir);
  // In this order: another process may be creating first the file and then the database.
  const databaseExists = await hasCluster(dataDir);
  if (databaseExists && (await readEncryptionKeys(dataDir)) === null) throw keyLost(keySource);
  return { encryptionKeys: await readOrCreateEncryptionKeys(dataDir), keySource };
}

const keyLost = (file: string) =>
  new EncryptionKeyLost(
    `${file} is missing, but there is a database beside it whose values are encrypted with this key. Restore the file from a ` +
      'backup, or set ENCRYPTION_KEY to the key. Nothing was changed.',
  );
