import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
  const known = await read(path);
  if (known !== null) return known;
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  // A link, unlike a rename, does not replace the key that another program has written meanwhile.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  const written = await read(path);
  if (written === null) throw new Error(`${path} has vanished`);
  return written;
}

async function read(path: string): Promise<Uint8Array | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) {
    throw new EncryptionKeyDamaged(
      `${path} does not hold 32 bytes in base64, as it did at the first start: bring it back from a backup.`,
    );
  }
  return key;
}
