import { timingSafeEqual } from 'node:crypto';
import type { Encryption } from '../shared/encryption.ts';

/** The secret for steering a deployment's pools: derived, so that every pool knows it and no copy of it is stored. */
export const poolKey = (encryption: Pick<Encryption, 'keyedHash'>): string =>
  `pool_${encryption.keyedHash('pool-key', '').toString('base64url')}`;

/** Takes the same time for every wrong key. */
export function isPoolKey(encryption: Pick<Encryption, 'keyedHash'>, given: string): boolean {
  const expected = Buffer.from(poolKey(encryption));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
