import type { Encryption } from '../shared/encryption.ts';
import type { Database } from './database.ts';
import { keepKeyCheck } from './installation.queries.ts';

/** The secrets in the database were sealed with another key than this program was given. */
class WrongEncryptionKey extends Error {
  override readonly name = 'WrongEncryptionKey';
}

/**
 * Refuses a key other than the one that this deployment began with, instead of failing on every sealed value later.
 * `source`: where the key was taken from, for the operator.
 */
export async function checkEncryptionKey(options: {
  db: Database;
  encryption: Pick<Encryption, 'keyedHash'>;
  installationId: string;
  source: string;
}): Promise<void> {
  const { db, encryption, installationId, source } = options;
  const check = encryption.keyedHash('key check', installationId);
  if (check.equals(await keepKeyCheck(db, check))) return;
  throw new WrongEncryptionKey(
    `${source} is not the key that the secrets in this database are sealed with: start with the key of the first ` +
      'start, or bring it back from a backup. Nothing was changed.',
  );
}
