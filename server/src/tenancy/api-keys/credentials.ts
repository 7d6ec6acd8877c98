import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { type ApiKeyRow, type SecretHash, selectApiKey, updateSecretHash } from './api-keys.queries.ts';
import { isUsable, type KeyState, toKeyState } from './key-states.ts';

/** Compared with the secret of an unknown key, so that the response takes as long as for a known key. */
const unknownSecretHash = Buffer.alloc(32);

/** Hashes a secret with the current encryption key. */
export function hashSecret(encryption: Pick<Encryption, 'keyedHashes'>, secret: string): SecretHash {
  const [current] = hashWithAllKeys(encryption, secret);
  if (current === undefined) throw new Error('the keyring is empty');
  return current;
}

const hashWithAllKeys = (encryption: Pick<Encryption, 'keyedHashes'>, secret: string): SecretHash[] =>
  encryption.keyedHashes('api-key-secret', secret);

/**
 * Returns the key's state, or null if the credentials are invalid. Every failure takes the same time. A valid secret whose
 * hash was made with an older encryption key is hashed again.
 */
export async function checkCredentials(
  {
    db,
    encryption,
    clock,
  }: { db: Database; encryption: Pick<Encryption, 'keyedHashes'>; clock: Pick<Clock, 'now'> },
  keyId: string,
  secret: string,
): Promise<KeyState | null> {
  const hashes = hashWithAllKeys(encryption, secret);
  const row = await selectApiKey(db, keyId);
  const expected = row?.secret_hash ?? unknownSecretHash;
  const matching = hashes.filter(({ hash }) => timingSafeEqual(hash, expected));
  if (row === undefined) return null;
  const state = toKeyState(row);
  if (!isUsable(state, clock.now()) || matching.length === 0) return null;
  await renewHash(db, row, hashes[0]);
  return state;
}

async function renewHash(db: Database, row: ApiKeyRow, current: SecretHash | undefined): Promise<void> {
  if (current !== undefined && row.secret_key_id !== current.keyId) await updateSecretHash(db, row, current);
}
