import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What an authenticator is asked. */
interface Asked {
  challenge: string;
  host: string;
  origin: string;
}

interface Signed extends Asked {
  counter?: number;
  /** Whether the authenticator checked the person. */
  verified?: boolean;
}

const sha256 = (content: Buffer | string): Buffer => createHash('sha256').update(content).digest();
const text = (bytes: Buffer): string => bytes.toString('base64url');
const clientData = (type: string, { challenge, origin }: Asked): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** An authenticator with one ES256 key for a user handle. It signs whatever it is asked. */
export function createAuthenticator(user: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  const data = ({ host, counter = 0, verified = true }: Signed, flags: number) =>
    Buffer.concat([sha256(host), Buffer.from([flags | 1 | (verified ? 4 : 0)]), uint32(counter)]);
  return {
    user,
    create(asked: Signed) {
      // CBOR maps: a COSE key, and the attestation `none`.
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const authData = Buffer.concat([
        data(asked, 0x40),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        key,
      ]);
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      return {
        id: text(id),
        client_data: text(clientData('webauthn.create', asked)),
        attestation: text(attestation),
      };
    },
    sign(asked: Signed) {
      const authenticatorData = data(asked, 0);
      const client = clientData('webauthn.get', asked);
      const signed = Buffer.concat([authenticatorData, sha256(client)]);
      return {
        id: text(id),
        client_data: text(client),
        authenticator_data: text(authenticatorData),
        signature: text(sign('sha256', signed, privateKey)),
        user,
      };
    },
  };
}
