import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyedHash } from '../../platform/shared/encryption.ts';

/** Names visitors and proves it: `v.…` for a browser, `u.…` for a person whom the website signed. */
export interface Visitors {
  create(siteKey: string): string;
  /** The same token for the same id, on every browser. */
  createSigned(siteKey: string, id: string): string;
  /** Returns the contact of a token, or null for a token that this deployment did not issue for the site. */
  read(siteKey: string, token: string): string | null;
}

export function createVisitors(keyedHash: KeyedHash): Visitors {
  const sign = (siteKey: string, name: string) =>
    `${name}.${keyedHash('web-visitor', `${siteKey}/${name}`).toString('base64url')}`;
  return {
    create: (siteKey) => sign(siteKey, `v-${randomBytes(16).toString('base64url')}`),
    createSigned: (siteKey, id) =>
      sign(siteKey, `u-${keyedHash('web-signed-visitor', `${siteKey}/${id}`).toString('base64url')}`),
    read(siteKey, token) {
      const [name = ''] = token.split('.');
      return isSame(token, sign(siteKey, name)) ? `web:${name}` : null;
    },
  };
}

/** Whether the website signed this id with its secret. */
export const isSignedBy = (secret: string, id: string, signature: string): boolean =>
  isSame(signature.toLowerCase(), createHmac('sha256', secret).update(id).digest('hex'));

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
