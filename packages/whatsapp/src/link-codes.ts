import { randomBytes } from 'node:crypto';
import type { AuthenticationCreds, WASocket } from 'baileys';

/** Lifetimes of the codes, set by the network. */
const firstCodeMs = 60_000;
const laterCodeMs = 20_000;
const laterCodes = 5;

export interface LinkCode {
  text: string;
  expiresAt: Date;
}

/** The codes of a device that waits for a phone. */
export class LinkCodes {
  readonly #creds: Pick<AuthenticationCreds, 'advSecretKey'>;
  /** Null for QR codes. */
  readonly #phoneNumber: string | null;
  #count = 0;
  #shown: LinkCode | null = null;

  constructor(creds: Pick<AuthenticationCreds, 'advSecretKey'>, phoneNumber: string | null) {
    this.#creds = creds;
    this.#phoneNumber = phoneNumber;
  }

  /** Returns the code to show now that the library created this QR code, or null to keep the one that is shown. */
  async next(qr: string, socket: Pick<WASocket, 'requestPairingCode'>): Promise<LinkCode | null> {
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
    return { text: await socket.requestPairingCode(this.#phoneNumber.slice(1)), expiresAt };
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
