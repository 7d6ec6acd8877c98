import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** HMAC-SHA256 of a text. Different uses of the same text have different hashes. */
export type KeyedHash = (use: string, text: string) => Buffer;

/** Uses the first of the deployment's keys, and opens and verifies with any of them. */
export interface Encryption {
  /** Ids of the keys in hexadecimal, the current key first. */
  readonly keyIds: readonly [string, ...string[]];
  /** The first bytes of every value that is sealed with the current key. */
  readonly currentHeader: Buffer;
  /** AES-256-GCM. `context` (table, team, row) keeps a value from being opened in another row. */
  seal(plain: Uint8Array, context: string): Buffer;
  /** Throws when the bytes were changed, moved, or sealed under a key that is not in the keyring. */
  open(sealed: Uint8Array, context: string): Buffer;
  keyedHash: KeyedHash;
  /** Returns the hashes under all keys, in the order of `keyIds`. */
  keyedHashes(use: string, text: string): { keyId: string; hash: Buffer }[];
  /** Returns the key of `keyedHash` for one of `keyIds`. */
  hashingKey(keyId: string): Uint8Array;
  /** 32 bytes that sign access tokens. */
  signingKey: Uint8Array;
  /** Tokens that these keys signed stay valid. */
  olderSigningKeys: readonly Uint8Array[];
}

/** A column of sealed values, and how the context of a value follows from its row. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The columns whose texts are the arguments of `context`. */
  identity: readonly string[];
  context(...identity: string[]): string;
}

interface Key {
  id: string;
  header: Buffer;
  /** Node uses it three times as fast as its bytes. */
  sealingKey: KeyObject;
  hashingKey: Uint8Array;
  signingKey: Uint8Array;
  keyedHash: KeyedHash;
}

const idBytes = 8;
const ivBytes = 12;
const tagBytes = 16;
/** Format 1 has no key id. Version 0.1.0 wrote it. */
const [formatWithoutKeyId, format] = [1, 2];

export function createEncryption(currentKey: Uint8Array, ...olderKeys: readonly Uint8Array[]): Encryption {
  const current = deriveKey(currentKey);
  const older = olderKeys.map(deriveKey);
  const keys = [current, ...older];
  const findKey = (keyId: string): Key => {
    const key = keys.find(({ id }) => id === keyId);
    if (key === undefined) throw new Error(`the key ${keyId} is not in the keyring`);
    return key;
  };
  return {
    keyIds: [current.id, ...older.map(({ id }) => id)],
    currentHeader: current.header,
    seal: (plain, context) => Buffer.concat([current.header, encrypt(current, plain, context)]),
    open(sealed, context) {
      const header = Buffer.from(sealed.subarray(0, current.header.length));
      if (header.equals(current.header)) return decrypt(current, sealed.subarray(header.length), context);
      if (header[0] === format) {
        const keyId = header.subarray(1).toString('hex');
        return decrypt(findKey(keyId), sealed.subarray(header.length), context);
      }
      if (header[0] !== formatWithoutKeyId) throw new Error(`unknown format of a sealed value: ${header[0]}`);
      return decryptWithAny(keys, sealed.subarray(1), context);
    },
    keyedHash: current.keyedHash,
    keyedHashes: (use, text) => keys.map(({ id, keyedHash }) => ({ keyId: id, hash: keyedHash(use, text) })),
    hashingKey: (keyId) => findKey(keyId).hashingKey,
    signingKey: current.signingKey,
    olderSigningKeys: older.map(({ signingKey }) => signingKey),
  };
}

export function createKeyedHash(key: Uint8Array): KeyedHash {
  const secret = createSecretKey(key);
  return (use, text) => createHmac('sha256', secret).update(use).update('\0').update(text).digest();
}

function deriveKey(masterKey: Uint8Array): Key {
  const derive = (use: string, bytes = 32) =>
    new Uint8Array(hkdfSync('sha256', masterKey, 'parley', use, bytes));
  const id = Buffer.from(derive('key id', idBytes));
  const hashingKey = derive('hash');
  return {
    id: id.toString('hex'),
    header: Buffer.concat([Buffer.from([format]), id]),
    sealingKey: createSecretKey(derive('seal')),
    hashingKey,
    signingKey: derive('sign'),
    keyedHash: createKeyedHash(hashingKey),
  };
}

function encrypt({ sealingKey }: Key, plain: Uint8Array, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', sealingKey, iv).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

function decrypt({ sealingKey }: Key, sealed: Uint8Array, context: string): Buffer {
  const iv = sealed.subarray(0, ivBytes);
  const tag = sealed.subarray(ivBytes, ivBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', sealingKey, iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]);
}

function decryptWithAny(keys: readonly Key[], sealed: Uint8Array, context: string): Buffer {
  const failures: unknown[] = [];
  for (const key of keys) {
    try {
      return decrypt(key, sealed, context);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, 'no key of the keyring opens the value');
}
