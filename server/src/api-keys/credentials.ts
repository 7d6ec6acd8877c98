import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Scope } from '../database/scopes.ts';
import type { Clock } from '../shared/clock.ts';
import type { Encryption } from '../shared/encryption.ts';
import { selectApiKey } from './api-keys.queries.ts';
import { isUsable, toKeyState } from './key-states.ts';

/** Compared with the secret of an unknown key, so that the response takes as long as for a known key. */
const unknownSecretHash = Buffer.alloc(32);

export const hashSecret = (encryption: Pick<Encryption, 'keyedHash'>, secret: string): Buffer =>
  encryption.keyedHash('api-key-secret', secret);

/** Returns the key's scope, or null if the credentials are invalid. Every failure takes the same time. */
export async function checkCredentials(
  {
    db,
    encryption,
    clock,
  }: { db: Database; encryption: Pick<Encryption, 'keyedHash'>; clock: Pick<Clock, 'now'> },
  keyId: string,
  secret: string,
): Promise<Scope | null> {
  const hash = hashSecret(encryption, secret);
  const row = await selectApiKey(db, keyId);
  const matches = timingSafeEqual(hash, row?.secret_hash ?? unknownSecretHash);
  if (row === undefined) return null;
  const state = toKeyState(row);
  return isUsable(state, clock.now()) && matches ? state.scope : null;
}
