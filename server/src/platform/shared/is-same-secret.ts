import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in the same time wherever the texts differ. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
