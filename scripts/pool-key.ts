import { existsSync } from 'node:fs';
import { readConfig } from '../server/src/config.ts';
import { poolKey } from '../server/src/pool/pool-key.ts';
import { createEncryption } from '../server/src/shared/encryption.ts';
import { encryptionKeyFile, readOrCreateEncryptionKey } from '../server/src/shared/encryption-key.ts';

/** Prints the key for `POST /drain` of this deployment's pools. */
const { ENCRYPTION_KEY: given, DATA_DIR: dataDir } = readConfig({ ...process.env, ROLES: 'api,pool,worker' });
if (given === null && !existsSync(encryptionKeyFile(dataDir))) {
  process.stderr.write('Set ENCRYPTION_KEY, or DATA_DIR to the folder in which one was generated.\n');
  process.exit(1);
}
if (given === null) process.stderr.write(`ENCRYPTION_KEY is not set: using ${encryptionKeyFile(dataDir)}\n`);
const encryption = createEncryption(given ?? (await readOrCreateEncryptionKey(dataDir)));
process.stdout.write(`${poolKey(encryption)}\n`);
