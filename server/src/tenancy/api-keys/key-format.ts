import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const newKeyId = (): string => `pk_${randomText(20)}`;

/** `sk_`, 43 characters (256 bits) and a checksum of 6 characters that lets secret scanners recognize leaked keys. */
export function newKeySecret(): string {
  const random = randomText(43);
  return `sk_${random}${computeChecksum(random)}`;
}

export function computeChecksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomText(length: number): string {
  return Array.from({ length }, () => base62.charAt(randomInt(62))).join('');
}
