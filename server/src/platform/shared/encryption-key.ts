import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeDirectory, readLine, readOrCreateLine } from './durable-files.ts';

class EncryptionKeyDamaged extends Error {
  override readonly name = 'EncryptionKeyDamaged';
}

/** The current key and the older ones that stored values may still need. */
export type EncryptionKeys = readonly [Uint8Array, ...Uint8Array[]];

export const encryptionKeyFile = (dataDir: string): string => join(dataDir, 'encryption-key');

/** Returns the keys of `DATA_DIR/encryption-key`, one per line, the current key first. Null if there is no file. */
export async function readEncryptionKeys(dataDir: string): Promise<EncryptionKeys | null> {
  const path = encryptionKeyFile(dataDir);
  const content = await readLine(path);
  return content === null ? null : parseFile(path, content);
}

/** Stores a new key in the file (mode 600) unless it exists. Without this file the sealed columns are lost. */
export async function readOrCreateEncryptionKeys(dataDir: string): Promise<EncryptionKeys> {
  const path = encryptionKeyFile(dataDir);
  await makeDirectory(dataDir);
  return parseFile(path, await readOrCreateLine(path, randomBytes(32).toString('base64')));
}

/** A process tries every key on a token that it does not know. */
const maxKeys = 10;

/** Parses keys of 32 bytes in base64 or hexadecimal. Throws an error that describes the valid texts. */
export function parseEncryptionKeys(texts: readonly string[]): EncryptionKeys {
  const [current, ...older] = texts.map((text) =>
    Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64'),
  );
  if (current === undefined || [current, ...older].some((key) => key.length !== 32))
    throw new Error('must be 32 bytes in base64 or hex, or several such keys with the current one first');
  if (new Set([current, ...older].map((key) => key.toString('hex'))).size < texts.length)
    throw new Error('must not contain the same key twice');
  if (older.length >= maxKeys) throw new Error(`must contain at most ${maxKeys} keys`);
  return [current, ...older];
}

function parseFile(path: string, content: string): EncryptionKeys {
  const lines = content.split('\n').map((line) => line.trim());
  try {
    return parseEncryptionKeys(lines.filter((line) => line !== ''));
  } catch {
    throw new EncryptionKeyDamaged(
      `${path} does not hold 32 bytes in base64 (one key per line, none twice, at most ${maxKeys}), as it did at the first start: restore it ` +
        'from a backup.',
    );
  }
}
