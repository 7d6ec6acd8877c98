import { timingSafeEqual } from 'node:crypto';
import type { Encryption } from '../shared/encryption.ts';

/** Returns the secret that controls all pools of a deployment. It is derived from the encryption key, not stored. */
export const poolKey = (encryption: Pick<Encryption, 'keyedHash'>): string =>
  `pool_${encryption.keyedHash('pool-key', '').toString('base64url')}`;

export function isPoolKey(encryption: Pick<Encryption, 'keyedHash'>, given: string): boolean {
  const expected = Buffer.from(poolKey(encryption));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
