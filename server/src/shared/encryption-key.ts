import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeDirectory, readOrCreateLine } from './durable-files.ts';

class EncryptionKeyDamaged extends Error {
  override readonly name = 'EncryptionKeyDamaged';
}

export const encryptionKeyFile = (dataDir: string): string => join(dataDir, 'encryption-key');

/** Stores a new key in `DATA_DIR/encryption-key` (mode 600). Without this file the sealed columns are lost. */
export async function readOrCreateEncryptionKey(dataDir: string): Promise<Uint8Array> {
  const path = encryptionKeyFile(dataDir);
  await makeDirectory(dataDir);
  const key = Buffer.from(await readOrCreateLine(path, randomBytes(32).toString('base64')), 'base64');
  if (key.length !== 32) {
    throw new EncryptionKeyDamaged(
      `${path} does not hold 32 bytes in base64, as it did at the first start: restore it from a backup.`,
    );
  }
  return key;
}
