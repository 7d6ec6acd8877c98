import { timingSafeEqual } from 'node:crypto';
import type { Encryption } from '../shared/encryption.ts';

/** The secret for talking to a device's pool about it: derived, so that no copy of it is stored. */
export const deviceToken = (encryption: Pick<Encryption, 'keyedHash'>, deviceId: string): string =>
  `dt_${encryption.keyedHash('device-token', deviceId).toString('base64url')}`;

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
