import { randomBytes } from 'node:crypto';
import {
  type BinaryNode,
  Curve,
  getBinaryNodeChild,
  hmacSign,
  proto,
  S_WHATSAPP_NET,
  WA_ADV_ACCOUNT_SIG_PREFIX,
} from 'baileys';
import { LinkedDevice, type Phone } from './accounts.ts';
import { CodeRequest } from './code-request.ts';
import type { Connection } from './connection.ts';
import type { Journal } from './journal.ts';

/** Codes per connection. */
const refs = 6;

/** A device that shows codes. */
interface Candidate {
  connection: Connection;
  clientKey: Buffer;
  registration: proto.ClientPayload.IDevicePairingRegistrationData;
  /** Called with true when the device signs, and with false when it disconnects. */
  scanned: ((signed: boolean) => void) | null;
  /** Present once the device requested a pairing code. */
  codeRequest: CodeRequest | null;
  /** Secrets that the network no longer accepts. */
  retiredSecrets: Set<string>;
  /** Called with true when the device acknowledges a request for a new secret, and with false when it disconnects. */
  acknowledged: ((acknowledged: boolean) => void) | null;
}

/** The content of the network's request for a new secret. Both forms have the same meaning. */
export type SecretRequest = 'companion_reg_refresh' | 'pair-device-rotate-qr';

const secretRequestId = 'new-secret';

export class Pairing {
  readonly #journal: Journal;
  readonly #candidates = new Map<Connection, Candidate>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  begin(
    connection: Connection,
    clientKey: Buffer,
    registration: proto.ClientPayload.IDevicePairingRegistrationData,
  ): void {
    this.#candidates.set(connection, {
      connection,
      clientKey,
      registration,
      scanned: null,
      codeRequest: null,
      retiredSecrets: new Set(),
      acknowledged: null,
    });
    const content = Array.from({ length: refs }, () => ({
      tag: 'ref',
      attrs: {},
      content: randomBytes(16).toString('hex'),
    }));
    connection.send({
      tag: 'iq',
      attrs: { from: S_WHATSAPP_NET, type: 'set', id: 'pair-device', xmlns: 'md' },
      content: [{ tag: 'pair-device', attrs: {}, content }],
    });
  }

  /** Returns true when the node belongs to the pairing. */
  handleReply(connection: Connection, node: BinaryNode): boolean {
    const candidate = this.#candidates.get(connection);
    if (node.tag === 'ack' && node.attrs['id'] === secretRequestId) {
      const { class: of, type, to } = node.attrs;
      const isRight = of === 'notification' && type === 'companion_reg_refresh' && to === S_WHATSAPP_NET;
      if (isRight) candidate?.acknowledged?.(true);
      return true;
    }
    const step = getBinaryNodeChild(node, 'link_code_companion_reg');
    if (step !== undefined && candidate !== undefined) {
      const isRequest = step.attrs['stage'] === 'companion_hello';
      const refusal = isRequest ? this.#refuseCode(step) : null;
      if (refusal !== null) {
        connection.send(refuse(node, refusal));
        return true;
      }
      if (isRequest) candidate.codeRequest = new CodeRequest(connection, step);
      else candidate.codeRequest?.finish(step);
      connection.send(acknowledge(node));
      return true;
    }
    if (getBinaryNodeChild(node, 'pair-device-sign') === undefined) return false;
    candidate?.scanned?.(true);
    return true;
  }

  /** Phones for which the network has given too many codes. */
  readonly exhausted = new Set<string>();

  /** Returns the code of an error, or null. */
  #refuseCode(request: BinaryNode): string | null {
    if (this.exhausted.has(request.attrs['jid'] ?? '')) return '429';
    const display = getBinaryNodeChild(request, 'companion_platform_display')?.content;
    return knownDisplay.test(String(display)) ? null : '400';
  }

  disconnect(connection: Connection): void {
    const candidate = this.#candidates.get(connection);
    candidate?.scanned?.(false);
    candidate?.acknowledged?.(false);
    this.#candidates.delete(connection);
  }

  /**
   * Scans a code with a phone. Returns whether the device accepted. The device must then reconnect. A code with a retired
   * secret does not link.
   */
  async scan(text: string, phone: Phone): Promise<boolean> {
    const found = this.#findByCode(text);
    if (found === null || found.candidate.retiredSecrets.has(found.secret)) return false;
    return this.#link(found.candidate, phone, Buffer.from(found.secret, 'base64'));
  }

  /**
   * Retires the secret in a code and asks the device that shows the code for a new one. Returns whether the device
   * acknowledged the request.
   */
  async requestSecret(text: string, request: SecretRequest): Promise<boolean> {
    const found = this.#findByCode(text);
    if (found === null) return false;
    const { candidate, secret } = found;
    candidate.retiredSecrets.add(secret);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    candidate.acknowledged = resolve;
    candidate.connection.send({
      tag: 'notification',
      attrs: { id: secretRequestId, from: S_WHATSAPP_NET, type: 'companion_reg_refresh', t: '1' },
      content: [{ tag: request, attrs: {} }],
    });
    return promise;
  }

  #findByCode(text: string): { candidate: Candidate; secret: string } | null {
    const [, noiseKey = '', , secret = ''] = new URL(text).hash.slice(1).split(',');
    const clientKey = Buffer.from(noiseKey, 'base64');
    const candidate = [...this.#candidates.values()].find((each) => each.clientKey.equals(clientKey));
    return candidate === undefined ? null : { candidate, secret };
  }

  /** Enters a pairing code on a phone. Returns whether the device accepted. The device must then reconnect. */
  async enterCode(code: string, phone: Phone): Promise<boolean> {
    const candidate = [...this.#candidates.values()].find(
      ({ codeRequest }) => codeRequest?.jid === phone.jid,
    );
    const advSecret = await candidate?.codeRequest?.enter(code, phone);
    if (candidate === undefined || advSecret === undefined || advSecret === null) return false;
    return this.#link(candidate, phone, advSecret);
  }

  async #link(candidate: Candidate, phone: Phone, advSecret: Buffer): Promise<boolean> {
    const device = createLinkedDevice(candidate, phone);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    candidate.scanned = resolve;
    candidate.connection.send(pairSuccess(device, advSecret));
    if (!(await promise)) return false;
    phone.devices.set(device.id, device);
    const props = proto.DeviceProps.decode(candidate.registration.deviceProps ?? new Uint8Array());
    this.#journal.add({ type: 'paired', device: phone.number, name: props.os ?? '' });
    candidate.connection.end({ tag: 'stream:error', attrs: { code: '515' } });
    return true;
  }
}

/** The network gives codes only to a browser on a system that it knows. */
const knownDisplay = /^(Chrome|Firefox|Edge|Safari|Opera) \((Mac OS|Windows|Ubuntu|Linux)\)$/;

const refuse = ({ attrs }: BinaryNode, code: string): BinaryNode => ({
  tag: 'iq',
  attrs: { from: S_WHATSAPP_NET, type: 'error', id: attrs['id'] ?? '' },
  content: [{ tag: 'error', attrs: { code, text: code === '429' ? 'rate-overlimit' : 'bad-request' } }],
});

const acknowledge = ({ attrs }: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { from: S_WHATSAPP_NET, type: 'result', id: attrs['id'] ?? '' },
});

function createLinkedDevice({ registration, clientKey }: Candidate, phone: Phone): LinkedDevice {
  const { eRegid, eIdent, eSkeyId, eSkeyVal, eSkeySig } = registration;
  if (!eRegid || !eIdent || !eSkeyId || !eSkeyVal || !eSkeySig) throw new Error('incomplete registration');
  return new LinkedDevice(phone, phone.nextDeviceId(), clientKey, {
    registrationId: Buffer.from(eRegid).readUInt32BE(),
    identity: eIdent,
    signedPreKey: { id: Buffer.from(eSkeyId).readUIntBE(0, 3), value: eSkeyVal, signature: eSkeySig },
  });
}

/** Contains the phone's signature of the device, authenticated with the secret from the code. */
function pairSuccess(device: LinkedDevice, advSecret: Buffer): BinaryNode {
  const { signedIdentityKey } = device.phone.signal.creds;
  const details = proto.ADVDeviceIdentity.encode({
    rawId: device.id,
    timestamp: Math.floor(Date.now() / 1000),
    keyIndex: device.id,
  }).finish();
  const signedData = Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, device.bundle.identity]);
  const identity = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: signedIdentityKey.public,
    accountSignature: Curve.sign(signedIdentityKey.private, signedData),
  }).finish();
  const content = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: identity,
    hmac: hmacSign(identity, advSecret),
  }).finish();
  return {
    tag: 'iq',
    attrs: { from: S_WHATSAPP_NET, type: 'set', id: 'pair-success' },
    content: [
      {
        tag: 'pair-success',
        attrs: {},
        content: [
          { tag: 'device-identity', attrs: {}, content },
          { tag: 'device', attrs: { jid: device.jid, lid: device.lid } },
          { tag: 'platform', attrs: { name: 'android' } },
        ],
      },
    ],
  };
}
