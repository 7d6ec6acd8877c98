import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A valid token and the key that signed it. */
export interface ValidToken {
  token: string;
  signingKey: Uint8Array;
}

export interface Forged {
  header?: unknown;
  claims?: unknown;
  /** The raw text of a part. */
  headerText?: string;
  claimsText?: string;
  /** Default: the correct key. */
  key?: Uint8Array | string;
  hash?: string;
}

export const encode = (text: string): string => Buffer.from(text).toString('base64url');

export const splitToken = (token: string): [header: string, claims: string, signature: string] => {
  const [header = '', claims = '', signature = ''] = token.split('.');
  return [header, claims, signature];
};

export const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString());

/** Creates tokens that differ from a valid one in the given parts. Signs with the correct key by default. */
export function createForger({ token, signingKey }: ValidToken) {
  const [header, claims] = splitToken(token).map((part) => Buffer.from(part, 'base64url').toString());
  const signed = ({ headerText, claimsText, ...forged }: Forged): string => {
    const head = headerText ?? (forged.header === undefined ? header : JSON.stringify(forged.header));
    const body = claimsText ?? (forged.claims === undefined ? claims : JSON.stringify(forged.claims));
    return `${encode(head ?? '')}.${encode(body ?? '')}`;
  };
  return {
    /** Signs with an HMAC. */
    forge(forged: Forged): string {
      const text = signed(forged);
      const { key = signingKey, hash = 'sha256' } = forged;
      return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
    },
    /** Signs with a new private key. */
    forgeWithKeyPair(forged: Forged): string {
      const text = signed(forged);
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
    },
    /** Appends any signature. */
    forgeUnsigned: (forged: Forged, signature = ''): string => `${signed(forged)}.${signature}`,
  };
}

export const otherKey = randomBytes(32);
