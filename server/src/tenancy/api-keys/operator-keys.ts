import type { Static } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import { isUuid } from '../../platform/shared/ids.ts';
import { expireApiKey, selectApiKey, selectApiKeys } from './api-keys.queries.ts';
import type { ApiKey } from './api-keys.schemas.ts';
import { createApiKey, type IssuedApiKey, presentApiKey } from './api-keys.ts';

/** Keys for the operator at the command line, who needs no key to manage keys. */

type Hashing = Pick<Encryption, 'keyedHashes'>;

/** Returns null if the team does not exist. */
export async function createKeyForOperator(
  db: Database,
  encryption: Hashing,
  key: { name: string; teamId: string | null; expiresAt: Date | null },
): Promise<IssuedApiKey | null> {
  if (key.teamId !== null && !isUuid(key.teamId)) return null;
  return db.transaction().execute((tx) => createApiKey(tx, encryption, { ...key, role: null }));
}

export async function listKeysForOperator(db: Database): Promise<Static<typeof ApiKey>[]> {
  return (await selectApiKeys(db)).map(presentApiKey);
}

/**
 * Creates a key with the name, scope, role and expiry of another one, which then expires after `hours`. Returns null if the other
 * key does not exist or is not active.
 */
export async function rotateKeyForOperator(
  db: Database,
  encryption: Hashing,
  { keyId, hours }: { keyId: string; hours: number },
): Promise<(IssuedApiKey & { oldKeyExpiresAt: Date }) | null> {
  return db.transaction().execute(async (tx) => {
    const old = await selectApiKey(tx, keyId);
    if (old === undefined || !old.is_active) return null;
    const key = { name: old.name, teamId: old.team_id, role: old.role, expiresAt: old.expires_at };
    const created = await createApiKey(tx, encryption, key);
    const expiresAt = await expireApiKey(tx, keyId, hours);
    return created === null || expiresAt === null ? null : { ...created, oldKeyExpiresAt: expiresAt };
  });
}
