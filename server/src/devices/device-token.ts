import { timingSafeEqual } from 'node:crypto';
import { createBoundedMap } from '../shared/bounded-map.ts';
import type { Encryption } from '../shared/encryption.ts';

/** The secret for talking to a device's pool about it: derived, so that no copy of it is stored. */
export const deviceToken = (encryption: Pick<Encryption, 'keyedHash'>, deviceId: string): string =>
  `dt_${encryption.keyedHash('device-token', deviceId).toString('base64url')}`;

/** Answers a device's token. */
export type GetDeviceToken = (deviceId: string) => string;

/** Tokens that are kept at once. */
const capacity = 10_000;

/** Keeps the tokens of the devices in use: deriving one takes longer than all else of showing its device. */
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

/** Takes the same time for every wrong token. */
export function isDeviceToken(
  encryption: Pick<Encryption, 'keyedHash'>,
  deviceId: string,
  given: string,
): boolean {
  const expected = Buffer.from(deviceToken(encryption, deviceId));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
