import type { Encryption } from '../shared/encryption.ts';
import type { Database } from './database.ts';
import { storeKeyCheck } from './installation.queries.ts';

class WrongEncryptionKey extends Error {
  override readonly name = 'WrongEncryptionKey';
}

/** Throws if the key differs from that of the first start. `source` names the key's origin for the operator. */
export async function checkEncryptionKey(options: {
  db: Database;
  encryption: Pick<Encryption, 'keyedHash'>;
  installationId: string;
  source: string;
}): Promise<void> {
  const { db, encryption, installationId, source } = options;
  const check = encryption.keyedHash('key check', installationId);
  if (check.equals(await storeKeyCheck(db, check))) return;
  throw new WrongEncryptionKey(
    `${source} is not the key that the secrets in this database are sealed with. Start with the key of the first start, or ` +
      'restore it from a backup. Nothing was changed.',
  );
}
