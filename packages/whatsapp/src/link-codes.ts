import { randomBytes } from 'node:crypto';
import {
  type AuthenticationCreds,
  type BinaryNode,
  getBinaryNodeChild,
  jidDecode,
  type WABrowserDescription,
  type WASocket,
} from 'baileys';

/** Lifetimes of the codes, set by the network. */
const firstCodeMs = 60_000;
const laterCodeMs = 20_000;
const laterCodes = 5;

export interface LinkCode {
  text: string;
  expiresAt: Date;
}

type CodeRequester = Pick<WASocket, 'requestPairingCode' | 'ws'>;

/** The network gives no pairing code. */
export class CodeRefused extends Error {
  override readonly name = 'CodeRefused';
  readonly reason: 'code_refused' | 'too_many_codes';
  constructor(code: string) {
    super(`the network refused a pairing code: ${code}`);
    this.reason = code === '429' ? 'too_many_codes' : 'code_refused';
  }
}

const responseTimeoutMs = 20_000;
/** Pairing codes are refused to a client whose name is no system that the network knows. */
const knownSystem = 'Mac OS';

/** The codes of a device that waits for a phone. */
export class LinkCodes {
  readonly #creds: Pick<AuthenticationCreds, 'advSecretKey'>;
  /** Null for QR codes. */
  readonly #phoneNumber: string | null;
  readonly #browser: WABrowserDescription;
  #count = 0;
  #shown: LinkCode | null = null;

  /** `browser` is the array that the socket was opened with. */
  constructor(
    creds: Pick<AuthenticationCreds, 'advSecretKey'>,
    phoneNumber: string | null,
    browser: WABrowserDescription,
  ) {
    this.#creds = creds;
    this.#browser = browser;
    this.#phoneNumber = phoneNumber;
  }

  /**
   * Returns the code to show now that the library created this QR code, or null to keep the one that is shown. Throws `CodeRefused`.
   */
  async next(qr: string, socket: CodeRequester): Promise<LinkCode | null> {
    const isFirst = this.#count === 0;
    this.#count += 1;
    if (this.#phoneNumber === null) {
      const expiresAt = new Date(Date.now() + (isFirst ? firstCodeMs : laterCodeMs));
      this.#shown = { text: withSecret(qr, this.#creds.advSecretKey), expiresAt };
      return this.#shown;
    }
    if (!isFirst) return null;
    // The network would accept a QR code now. The pairing code is valid as long as all QR codes.
    const expiresAt = new Date(Date.now() + firstCodeMs + laterCodes * laterCodeMs);
    // The phone has read the client's own name from the registration. The library sends this one with the request.
    this.#browser[0] = knownSystem;
    return { text: await requestCode(socket, this.#phoneNumber.slice(1)), expiresAt };
  }

  /** Replaces the secret, which the network retired. Returns the QR code to show instead. The library keeps the old secret. */
  renew(): LinkCode | null {
    // A pairing code contains no secret. The phone and the device derive one after the phone has accepted the code.
    if (this.#phoneNumber !== null) return null;
    this.#creds.advSecretKey = randomBytes(32).toString('base64');
    if (this.#shown === null) return null;
    this.#shown = { ...this.#shown, text: withSecret(this.#shown.text, this.#creds.advSecretKey) };
    return this.#shown;
  }
}

/** A QR code is a link with the fields reference, Noise key, identity key, secret and platform in its fragment. */
function withSecret(qr: string, secret: string): string {
  const fields = qr.split(',');
  return fields.with(3, secret).join(',');
}

/** The library does not wait for the network's response. */
async function requestCode(socket: CodeRequester, phoneNumber: string): Promise<string> {
  const { ws } = socket;
  const response = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => response.reject(new Error('the network did not respond')),
    responseTimeoutMs,
  );
  const accepted = () => response.resolve();
  const refused = (stanza: BinaryNode) =>
    response.reject(new CodeRefused(getBinaryNodeChild(stanza, 'error')?.attrs['code'] ?? 'unknown'));
  response.promise.catch(() => undefined);
  ws.on('CB:iq,type:result', accepted);
  ws.on('CB:iq,type:error', refused);
  try {
    const code = await socket.requestPairingCode(phoneNumber);
    await response.promise;
    return code;
  } finally {
    clearTimeout(timer);
    ws.off('CB:iq,type:result', accepted);
    ws.off('CB:iq,type:error', refused);
  }
}

export function readPhoneNumber(jid: string | undefined): string {
  const user = jidDecode(jid)?.user;
  if (user === undefined) throw new Error('the linked account has no phone number');
  return `+${user}`;
}
