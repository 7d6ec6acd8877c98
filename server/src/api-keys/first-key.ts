import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../database/database.ts';
import type { Encryption } from '../shared/encryption.ts';
import { anyApiKeyExists, insertApiKey, lockFirstKey } from './api-keys.queries.ts';
import { createApiKey } from './api-keys.ts';
import { hashSecret } from './credentials.ts';

/** A key that was generated: for the operator's eyes, once. */
export interface FirstKey {
  keyId: string;
  secret: string;
  /** Where it is written down, readable by the owner alone. */
  file: string;
}

/**
 * Gives a deployment without an API key its first one: `given` (BOOTSTRAP_KEY_ID, BOOTSTRAP_KEY_SECRET) as it is, else
 * a generated one, which is returned and written to `dataDir`. Null when nothing was generated. Of several processes
 * that start at once, one creates it. A file that is there already may hold the key of another database that was run from
 * `dataDir`: it stays, under a name that tells by which key it was replaced.
 */
export async function ensureFirstKey({
  db,
  encryption,
  given,
  dataDir,
}: {
  db: Database;
  encryption: Pick<Encryption, 'keyedHash'>;
  given: { keyId: string; secret: string } | null;
  dataDir: string;
}): Promise<FirstKey | null> {
  return db.transaction().execute(async (tx) => {
    await lockFirstKey(tx);
    if (await anyApiKeyExists(tx)) return null;
    const firstKey = { name: 'First key', teamId: null, expiresAt: null };
    if (given !== null) {
      const secretHash = hashSecret(encryption, given.secret);
      await insertApiKey(tx, { ...firstKey, keyId: given.keyId, secretHash });
      return null;
    }
    const created = await createApiKey(tx, encryption, firstKey);
    if (created === null) throw new Error('a key of scope global needs no team');
    // Before the commit: a key that nobody can read must not exist, a file without its key is set aside at the next start.
    const file = await writeDown(dataDir, created);
    return { keyId: created.keyId, secret: created.secret, file };
  });
}

async function writeDown(dataDir: string, key: { keyId: string; secret: string }): Promise<string> {
  const file = join(dataDir, 'first-api-key.json');
  const draft = `${file}.${process.pid}.tmp`;
  await mkdir(dataDir, { recursive: true });
  await rm(draft, { force: true });
  const content = JSON.stringify({ key_id: key.keyId, key_secret: key.secret }, null, 2);
  await writeFile(draft, `${content}\n`, { mode: 0o600, flag: 'wx', flush: true });
  if (existsSync(file)) await rename(file, join(dataDir, `first-api-key.before-${key.keyId}.json`));
  await rename(draft, file);
  return file;
}
