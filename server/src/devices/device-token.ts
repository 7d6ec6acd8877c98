import { timingSafeEqual } from 'node:crypto';
import { createBoundedMap } from '../platform/shared/bounded-map.ts';
import type { KeyedHash } from '../platform/shared/encryption.ts';

/** Derives the tokens of devices. Its key stays the same when the encryption key is rotated. */
type TokenHash = { keyedHash: KeyedHash };

/** Returns the secret for the device's routes on its pool. Each revocation starts a new generation. */
export function deviceToken(hash: TokenHash, deviceId: string, generation = 0): string {
  const subject = generation === 0 ? deviceId : `${deviceId}/${generation}`;
  return `dt_${hash.keyedHash('device-token', subject).toString('base64url')}`;
}

export type GetDeviceToken = (deviceId: string, generation: number) => string;

const capacity = 10_000;

/** Caches tokens, because deriving one takes longer than the rest of presenting a device. */
export function createDeviceTokens(hash: TokenHash): GetDeviceToken {
  const derived = createBoundedMap<string, { generation: number; token: string }>(capacity);
  return (deviceId, generation) => {
    const known = derived.get(deviceId);
    if (known?.generation === generation) return known.token;
    const token = deviceToken(hash, deviceId, generation);
    derived.set(deviceId, { generation, token });
    return token;
  };
}

/** Compares in constant time. The token of a missing device (`generation` null) is invalid. */
export function isDeviceToken(
  hash: TokenHash,
  { deviceId, generation }: { deviceId: string; generation: number | null },
  given: string,
): boolean {
  const expected = Buffer.from(deviceToken(hash, deviceId, generation ?? 0));
  const actual = Buffer.from(given);
  const matches = actual.length === expected.length && timingSafeEqual(actual, expected);
  return matches && generation !== null;
}
