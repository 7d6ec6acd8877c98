import { createHash } from 'node:crypto';
import { aesDecryptGCM, aesEncryptGCM, Curve, hkdf, type KeyPair, NOISE_MODE } from 'baileys';

/** Both directions of a connection after the handshake. */
export interface Transport {
  encrypt(plaintext: Uint8Array): Buffer;
  decrypt(ciphertext: Uint8Array): Buffer;
}

/** The responder of `Noise_XX_25519_AESGCM_SHA256`. */
export class NoiseResponder {
  readonly #ephemeral = Curve.generateKeyPair();
  #hash: Uint8Array = Buffer.from(NOISE_MODE);
  #salt: Uint8Array = this.#hash;
  #key: Uint8Array = this.#hash;
  #counter = 0;

  constructor(header: Uint8Array) {
    this.#mixIntoHash(header);
  }

  /** Returns the server's half of the handshake. */
  answer(
    clientEphemeral: Uint8Array,
    identity: KeyPair,
    certificates: Uint8Array,
  ): { ephemeral: Uint8Array; static: Buffer; payload: Buffer } {
    this.#mixIntoHash(clientEphemeral);
    this.#mixIntoHash(this.#ephemeral.public);
    this.#mixIntoKey(Curve.sharedKey(this.#ephemeral.private, clientEphemeral));
    const sealedIdentity = this.#encrypt(identity.public);
    this.#mixIntoKey(Curve.sharedKey(identity.private, clientEphemeral));
    return {
      ephemeral: this.#ephemeral.public,
      static: sealedIdentity,
      payload: this.#encrypt(certificates),
    };
  }

  /** Decrypts the client's static key and its payload. */
  finish(sealedStatic: Uint8Array, sealedPayload: Uint8Array): { clientKey: Buffer; payload: Buffer } {
    const clientKey = this.#decrypt(sealedStatic);
    this.#mixIntoKey(Curve.sharedKey(this.#ephemeral.private, clientKey));
    return { clientKey, payload: this.#decrypt(sealedPayload) };
  }

  /** The client encrypts with the first half of the keys, so this side decrypts with it. */
  split(): Transport {
    const [readKey, writeKey] = this.#derive(new Uint8Array(0));
    let reads = 0;
    let writes = 0;
    return {
      encrypt: (plaintext) => aesEncryptGCM(plaintext, writeKey, iv(writes++), new Uint8Array(0)),
      decrypt: (ciphertext) => aesDecryptGCM(ciphertext, readKey, iv(reads++), new Uint8Array(0)),
    };
  }

  #encrypt(plaintext: Uint8Array): Buffer {
    const sealed = aesEncryptGCM(plaintext, this.#key, iv(this.#counter++), this.#hash);
    this.#mixIntoHash(sealed);
    return sealed;
  }

  #decrypt(ciphertext: Uint8Array): Buffer {
    const opened = aesDecryptGCM(ciphertext, this.#key, iv(this.#counter++), this.#hash);
    this.#mixIntoHash(ciphertext);
    return opened;
  }

  #mixIntoHash(bytes: Uint8Array): void {
    this.#hash = createHash('sha256').update(this.#hash).update(bytes).digest();
  }

  #mixIntoKey(secret: Uint8Array): void {
    [this.#salt, this.#key] = this.#derive(secret);
    this.#counter = 0;
  }

  #derive(secret: Uint8Array): [Uint8Array, Uint8Array] {
    const bytes = hkdf(Buffer.from(secret), 64, { salt: Buffer.from(this.#salt), info: '' });
    return [bytes.subarray(0, 32), bytes.subarray(32)];
  }
}

function iv(counter: number): Uint8Array {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(counter, 8);
  return bytes;
}
