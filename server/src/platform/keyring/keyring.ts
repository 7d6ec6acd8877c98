import type pg from 'pg';
import type { Database, Transaction } from '../database/database.ts';
import {
  lockInstallation,
  sealedDeviceTokenKey,
  storeDeviceTokenKey,
} from '../database/installation.queries.ts';
import { createKeyedHash, type Encryption, type KeyedHash } from '../shared/encryption.ts';
import { holdKeyStatements, registerKey, selectRegisteredKeys } from './keyring.sql.ts';

class WrongEncryptionKey extends Error {
  override readonly name = 'WrongEncryptionKey';
}

export interface Keyring {
  /** The hash that device tokens are derived with. It is the same for the whole life of the database. */
  deviceTokens: { keyedHash: KeyedHash };
  /** Keeps the current key registered while the connection lives. */
  hold(client: pg.ClientBase): Promise<void>;
}

interface KeyringOptions {
  db: Database;
  encryption: Encryption;
  installationId: string;
  /** Names the origin of the keys for the operator. */
  source: string;
}

/** Throws if a key is missing that stored values need. Registers the current key. */
export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { encryption, db } = options;
  const deviceTokenKey = await db.transaction().execute(async (tx) => {
    const installation = await lockInstallation(tx);
    const needed = await findNeededKeys(tx, options, installation.key_check);
    requireKeys(options, needed);
    for (const keyId of [...needed, encryption.keyIds[0]]) await registerKey(tx, keyId);
    return openDeviceTokenKey(tx, options, {
      sealed: installation.device_token_key_sealed,
      oldestKeyId: needed[0] ?? encryption.keyIds[0],
    });
  });
  return {
    deviceTokens: { keyedHash: createKeyedHash(deviceTokenKey) },
    async hold(client) {
      for (const statement of holdKeyStatements(encryption.keyIds[0])) await client.query(statement);
    },
  };
}

/** Version 0.1.0 stored only a hash by which its one key can be recognized. */
async function findNeededKeys(
  tx: Transaction,
  { encryption, installationId, source }: KeyringOptions,
  keyCheck: Buffer | null,
): Promise<string[]> {
  const registered = await selectRegisteredKeys(tx);
  if (registered.length > 0 || keyCheck === null) return registered;
  const hashes = encryption.keyedHashes('key check', installationId);
  const match = hashes.find(({ hash }) => hash.equals(keyCheck));
  if (match === undefined) throw missingKey(source, 'the key');
  return [match.keyId];
}

function requireKeys({ encryption, source }: KeyringOptions, needed: readonly string[]): void {
  const missing = needed.find((keyId) => !encryption.keyIds.includes(keyId));
  if (missing !== undefined) throw missingKey(source, `the key ${missing}`);
}

const missingKey = (source: string, key: string) =>
  new WrongEncryptionKey(
    `${source} lacks ${key} that values in this database are encrypted with. Add that key after the current one, or restore ` +
      'it from a backup. Nothing was changed.',
  );

/** The first key is the one that version 0.1.0 derived tokens with, so that an upgrade keeps them. */
async function openDeviceTokenKey(
  tx: Transaction,
  { encryption, installationId }: KeyringOptions,
  { sealed, oldestKeyId }: { sealed: Buffer | null; oldestKeyId: string },
): Promise<Uint8Array> {
  const context = sealedDeviceTokenKey.context(installationId);
  if (sealed !== null) return encryption.open(sealed, context);
  const key = encryption.hashingKey(oldestKeyId);
  await storeDeviceTokenKey(tx, encryption.seal(key, context));
  return key;
}
