import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Scope } from '../http/actor.ts';
import type { Clock } from '../shared/clock.ts';
import type { Encryption } from '../shared/encryption.ts';
import { selectApiKey } from './api-keys.queries.ts';
import { isUsable, toKeyState } from './key-states.ts';

/** What a secret is compared with when its key does not exist, so that the answer takes as long. */
const noSecret = Buffer.alloc(32);

/** Only this is stored of a secret. */
export const hashSecret = (encryption: Pick<Encryption, 'keyedHash'>, secret: string): Buffer =>
  encryption.keyedHash('api-key-secret', secret);

/**
 * The scope of the key, or null when id and secret are not those of a key that is good now. Unknown, wrong, expired
 * and inactive take the same steps.
 */
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
  const matches = timingSafeEqual(hash, row?.secret_hash ?? noSecret);
  if (row === undefined) return null;
  const state = toKeyState(row);
  return isUsable(state, clock.now()) && matches ? state.scope : null;
}
