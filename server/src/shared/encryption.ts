import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';

export interface Encryption {
  /** AES-256-GCM. `context` (table, team, row) keeps a value from being opened in another row. */
  seal(plain: Uint8Array, context: string): Buffer;
  /** Throws when the bytes were changed, moved, or sealed under another key. */
  open(sealed: Uint8Array, context: string): Buffer;
  keyedHash(use: string, text: string): Buffer;
  /** 32 bytes that sign access tokens. */
  signingKey: Uint8Array;
}

const ivBytes = 12;
const tagBytes = 16;
const formatVersion = 1;

export function createEncryption(masterKey: Uint8Array): Encryption {
  const derive = (use: string) => new Uint8Array(hkdfSync('sha256', masterKey, 'parley', use, 32));
  const sealingKey = derive('seal');
  const hashingKey = createSecretKey(derive('hash'));
  return {
    seal(plain, context) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.from([formatVersion]), iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      if (sealed[0] !== formatVersion) throw new Error(`unknown format of a sealed value: ${sealed[0]}`);
      const iv = sealed.subarray(1, 1 + ivBytes);
      const tag = sealed.subarray(1 + ivBytes, 1 + ivBytes + tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, iv, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed.subarray(1 + ivBytes + tagBytes)), decipher.final()]);
    },
    keyedHash: (use, text) => createHmac('sha256', hashingKey).update(use).update('\0').update(text).digest(),
    signingKey: derive('sign'),
  };
}
