import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeDirectory, readOrCreateLine } from './durable-files.ts';

/** The file was changed by something else. */
class EncryptionKeyDamaged extends Error {
  override readonly name = 'EncryptionKeyDamaged';
}

/** Where the key is kept that nobody gave us. */
export const encryptionKeyFile = (dataDir: string): string => join(dataDir, 'encryption-key');

/**
 * The deployment's key, generated on first use into `DATA_DIR/encryption-key` (mode 600). Whoever loses the file loses
 * the sealed columns. Programs that start at once agree on one key.
 */
export async function readOrCreateEncryptionKey(dataDir: string): Promise<Uint8Array> {
  const path = encryptionKeyFile(dataDir);
  await makeDirectory(dataDir);
  const key = Buffer.from(await readOrCreateLine(path, randomBytes(32).toString('base64')), 'base64');
  if (key.length !== 32) {
    throw new EncryptionKeyDamaged(
      `${path} does not hold 32 bytes in base64, as it did at the first start: bring it back from a backup.`,
    );
  }
  return key;
}
