import { timingSafeEqual } from 'node:crypto';
import { createBoundedMap } from '../shared/bounded-map.ts';
import type { Encryption } from '../shared/encryption.ts';

/** Returns the secret for the device's routes on its pool. It is derived from the encryption key, not stored. */
export const deviceToken = (encryption: Pick<Encryption, 'keyedHash'>, deviceId: string): string =>
  `dt_${encryption.keyedHash('device-token', deviceId).toString('base64url')}`;

export type GetDeviceToken = (deviceId: string) => string;

const capacity = 10_000;

/** Caches tokens, because deriving one takes longer than the rest of presenting a device. */
export function createDeviceTokens(encryption: Pick<Encryption, 'keyedHash'>): GetDeviceToken {
  const derived = createBoundedMap<string, string>(capacity);
  return (deviceId) => {
    const known = derived.get(deviceId);
    if (known !== undefined) return known;
    const token = deviceToken(encryption, deviceId);
    derived.set(deviceId, token);
    return token;
  };
}

/** Compares in constant time. */
export function isDeviceToken(
  encryption: Pick<Encryption, 'keyedHash'>,
  deviceId: string,
  given: string,
): boolean {
  const expected = Buffer.from(deviceToken(encryption, deviceId));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
