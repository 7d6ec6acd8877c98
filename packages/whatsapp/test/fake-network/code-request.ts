import { randomBytes } from 'node:crypto';
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  type BinaryNode,
  Curve,
  derivePairingCodeKey,
  getBinaryNodeChildBuffer,
  hkdf,
  S_WHATSAPP_NET,
} from 'baileys';
import type { Phone } from './accounts.ts';
import type { Connection } from './connection.ts';

const saltBytes = 32;

/** A device's request to be linked by a code. The phone and the device exchange keys that the code protects. */
export class CodeRequest {
  readonly jid: string;
  readonly #connection: Connection;
  readonly #hello: BinaryNode;
  #finished = Promise.withResolvers<BinaryNode>();

  constructor(connection: Connection, hello: BinaryNode) {
    this.jid = hello.attrs['jid'] ?? '';
    this.#connection = connection;
    this.#hello = hello;
  }

  /** Returns the secret that authenticates the link, or null if the code is wrong. */
  async enter(code: string, phone: Phone): Promise<Buffer | null> {
    const wrapped = readBytes(this.#hello, 'link_code_pairing_wrapped_companion_ephemeral_pub');
    const [salt, iv, ciphered] = [
      wrapped.subarray(0, saltBytes),
      wrapped.subarray(32, 48),
      wrapped.subarray(48),
    ];
    const devicePublic = aesDecryptCTR(ciphered, await derivePairingCodeKey(code, salt), iv);
    const ephemeral = Curve.generateKeyPair();
    const { signedIdentityKey: identity } = phone.signal.creds;
    this.#finished = Promise.withResolvers();
    this.#connection.send({
      tag: 'notification',
      attrs: { id: randomBytes(8).toString('hex'), from: S_WHATSAPP_NET, type: 'link_code_companion_reg' },
      content: [
        {
          tag: 'link_code_companion_reg',
          attrs: { stage: 'primary_hello' },
          content: [
            { tag: 'link_code_pairing_ref', attrs: {}, content: randomBytes(16) },
            { tag: 'primary_identity_pub', attrs: {}, content: identity.public },
            {
              tag: 'link_code_pairing_wrapped_primary_ephemeral_pub',
              attrs: {},
              content: await wrap(ephemeral.public, code),
            },
          ],
        },
      ],
    });
    const finish = await this.#finished.promise;
    const shared = Curve.sharedKey(ephemeral.private, devicePublic);
    const bundle = readBytes(finish, 'link_code_pairing_wrapped_key_bundle');
    const key = hkdf(shared, 32, {
      salt: bundle.subarray(0, saltBytes),
      info: 'link_code_pairing_key_bundle_encryption_key',
    });
    try {
      const keys = aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(saltBytes, 44), Buffer.alloc(0));
      const identityShared = Curve.sharedKey(identity.private, keys.subarray(0, 32));
      const secret = Buffer.concat([shared, identityShared, keys.subarray(64)]);
      return Buffer.from(hkdf(secret, 32, { info: 'adv_secret' }));
    } catch {
      return null;
    }
  }

  /** The device has answered the phone. */
  finish(answer: BinaryNode): void {
    this.#finished.resolve(answer);
  }
}

async function wrap(key: Uint8Array, code: string): Promise<Buffer> {
  const [salt, iv] = [randomBytes(saltBytes), randomBytes(16)];
  return Buffer.concat([salt, iv, aesEncryptCTR(key, await derivePairingCodeKey(code, salt), iv)]);
}

function readBytes(node: BinaryNode, tag: string): Buffer {
  const content = getBinaryNodeChildBuffer(node, tag);
  if (!(content instanceof Uint8Array)) throw new Error(`${tag} is missing`);
  return Buffer.from(content);
}
