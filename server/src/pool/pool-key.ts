import { timingSafeEqual } from 'node:crypto';
import type { Encryption } from '../platform/shared/encryption.ts';

const present = (hash: Buffer): string => `pool_${hash.toString('base64url')}`;

/** Returns the secret that controls all pools of a deployment. It is derived from the encryption key, not stored. */
export const poolKey = (encryption: Pick<Encryption, 'keyedHash'>): string =>
  present(encryption.keyedHash('pool-key', ''));

/** Accepts the secrets of older encryption keys, so that a key rotation can go from process to process. */
export function isPoolKey(encryption: Pick<Encryption, 'keyedHashes'>, given: string): boolean {
  const actual = Buffer.from(given);
  return encryption.keyedHashes('pool-key', '').some(({ hash }) => {
    const expected = Buffer.from(present(hash));
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  });
}
