import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../platform/database/database.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { anyApiKeyExists, insertApiKey, lockFirstKey } from './api-keys.queries.ts';
import { createApiKey } from './api-keys.ts';
import { hashSecret } from './credentials.ts';

export interface FirstKey {
  keyId: string;
  secret: string;
  file: string;
}

/**
 * Creates the first API key if none exists: `given`, or a generated key that is also written to `dataDir`. Returns the
 * generated key, else null. Processes that start at once create one key. An existing file can hold the key of another
 * database that used `dataDir`, so it is renamed instead of overwritten.
 */
export async function ensureFirstKey({
  db,
  encryption,
  given,
  dataDir,
}: {
  db: Database;
  encryption: Pick<Encryption, 'keyedHashes'>;
  given: { keyId: string; secret: string } | null;
  dataDir: string;
}): Promise<FirstKey | null> {
  return db.transaction().execute(async (tx) => {
    await lockFirstKey(tx);
    if (await anyApiKeyExists(tx)) return null;
    const firstKey = { name: 'First key', teamId: null, role: null, expiresAt: null };
    if (given !== null) {
      const secret = hashSecret(encryption, given.secret);
      await insertApiKey(tx, { ...firstKey, keyId: given.keyId, secret });
      return null;
    }
    const created = await createApiKey(tx, encryption, firstKey);
    if (created === null) throw new Error('a key of scope global needs no team');
    // Before the commit: a file without a key is harmless, but a key without a file would be lost.
    const file = await writeKeyFile(dataDir, created);
    return { keyId: created.keyId, secret: created.secret, file };
  });
}

async function writeKeyFile(dataDir: string, key: { keyId: string; secret: string }): Promise<string> {
  const file = join(dataDir, 'first-api-key.json');
  const temporaryFile = `${file}.${process.pid}.tmp`;
  await mkdir(dataDir, { recursive: true });
  await rm(temporaryFile, { force: true });
  const content = JSON.stringify({ key_id: key.keyId, key_secret: key.secret }, null, 2);
  await writeFile(temporaryFile, `${content}\n`, { mode: 0o600, flag: 'wx', flush: true });
  if (existsSync(file)) await rename(file, join(dataDir, `first-api-key.before-${key.keyId}.json`));
  await rename(temporaryFile, file);
  return file;
}
