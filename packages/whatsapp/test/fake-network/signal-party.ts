import {
  addTransactionCapability,
  type BinaryNode,
  generateSignalPubKey,
  getBinaryNodeChild,
  initAuthCreds,
  proto,
  type SignalDataSet,
  type SignalKeyStore,
  unpadRandomMax16,
  writeRandomPadMax16,
} from 'baileys';
import { makeSignalRepository } from '../../src/signal-repository.ts';
import { silentLogger } from './silent-logger.ts';

/** The keys that start an encrypted session with a device, without their type byte. */
export interface Bundle {
  registrationId: number;
  identity: Uint8Array;
  signedPreKey: { id: number; value: Uint8Array; signature: Uint8Array };
  preKey: { id: number; value: Uint8Array } | null;
}

export interface Envelope {
  type: 'pkmsg' | 'msg';
  ciphertext: Uint8Array;
}

/** Encrypts and decrypts for a phone. Addresses are LIDs with a device number. */
export class SignalParty {
  readonly creds;
  readonly #repository;

  /** With the credentials of an earlier party, it keeps its identity but no session. */
  constructor(creds = initAuthCreds()) {
    this.creds = creds;
    const keys = addTransactionCapability(memoryKeys(), silentLogger, {
      maxCommitRetries: 1,
      delayBetweenTriesMs: 0,
    });
    this.#repository = makeSignalRepository({ creds: this.creds, keys }, silentLogger, async () => []);
  }

  /** Contains no one-time key, like the bundle of a phone that has used all of them. */
  bundle(): Bundle {
    const { registrationId, signedIdentityKey, signedPreKey } = this.creds;
    return {
      registrationId,
      identity: signedIdentityKey.public,
      signedPreKey: {
        id: signedPreKey.keyId,
        value: signedPreKey.keyPair.public,
        signature: signedPreKey.signature,
      },
      preKey: null,
    };
  }

  async encrypt(address: string, message: proto.IMessage, bundle: () => Bundle): Promise<Envelope> {
    const { exists } = await this.#repository.validateSession(address);
    if (!exists) await this.begin(address, bundle());
    const data = writeRandomPadMax16(proto.Message.encode(message).finish());
    return this.#repository.encryptMessage({ jid: address, data });
  }

  async decrypt(address: string, { type, ciphertext }: Envelope): Promise<proto.Message> {
    const opened = await this.#repository.decryptMessage({ jid: address, type, ciphertext });
    return proto.Message.decode(unpadRandomMax16(opened));
  }

  /** Begins a new session. */
  async begin(address: string, { registrationId, identity, signedPreKey, preKey }: Bundle): Promise<void> {
    await this.#repository.injectE2ESession({
      jid: address,
      session: {
        registrationId,
        identityKey: generateSignalPubKey(identity),
        signedPreKey: {
          keyId: signedPreKey.id,
          publicKey: generateSignalPubKey(signedPreKey.value),
          signature: signedPreKey.signature,
        },
        ...(preKey && { preKey: { keyId: preKey.id, publicKey: generateSignalPubKey(preKey.value) } }),
      },
    });
  }
}

/** Reads the keys in a retry receipt, or returns null. */
export function readBundle(receipt: BinaryNode): Bundle | null {
  const keys = getBinaryNodeChild(receipt, 'keys');
  if (keys === undefined) return null;
  const bytes = (node: BinaryNode | undefined, tag: string): Uint8Array => {
    const content = getBinaryNodeChild(node, tag)?.content;
    return content instanceof Uint8Array ? content : new Uint8Array();
  };
  const id = (node: BinaryNode | undefined) => Buffer.from(bytes(node, 'id')).readUIntBE(0, 3);
  const [preKey, signed] = [getBinaryNodeChild(keys, 'key'), getBinaryNodeChild(keys, 'skey')];
  return {
    registrationId: Buffer.from(bytes(receipt, 'registration')).readUInt32BE(),
    identity: bytes(keys, 'identity'),
    signedPreKey: { id: id(signed), value: bytes(signed, 'value'), signature: bytes(signed, 'signature') },
    preKey: preKey === undefined ? null : { id: id(preKey), value: bytes(preKey, 'value') },
  };
}

function memoryKeys(): SignalKeyStore {
  const stored = new Map<string, unknown>();
  return {
    get: async (type, ids) =>
      Object.fromEntries(
        ids.flatMap((id) => {
          const value = stored.get(`${type} ${id}`);
          // Values are stored by their type.
          return value === undefined ? [] : [[id, value as never]];
        }),
      ),
    set: async (data: SignalDataSet) => {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value === null) stored.delete(`${type} ${id}`);
          else stored.set(`${type} ${id}`, value);
        }
      }
    },
  };
}
