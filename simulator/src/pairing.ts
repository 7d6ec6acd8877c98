import { randomBytes } from 'node:crypto';

/** Why a scan does not end in a link. */
export type ScanRefusal = 'qr_unknown' | 'phone_banned' | 'pairing_refused' | 'pairing_interrupted';

const words: Readonly<Record<ScanRefusal, string>> = {
  qr_unknown: 'This code is not shown any more, or was scanned already: scan the one that is shown now',
  phone_banned: 'The network has blocked this number',
  pairing_refused: 'The device did not take the link: its status says why',
  pairing_interrupted: 'The connection to the device ended before it was linked: scan again',
};

export class ScanRefused extends Error {
  override readonly name = 'ScanRefused';
  readonly reason: ScanRefusal;
  constructor(reason: ScanRefusal) {
    super(words[reason]);
    this.reason = reason;
  }
}

/** The codes that can be scanned now, each with what a scan by a phone does. */
export class QrBoard {
  readonly #scans = new Map<string, (phone: string) => Promise<void>>();

  put(code: string, scan: (phone: string) => Promise<void>): void {
    this.#scans.set(code, scan);
  }

  remove(code: string): void {
    this.#scans.delete(code);
  }

  /** Takes the whole text of a QR code, or the code in it, which serves one scan. Rejects with `ScanRefused`. */
  async scan(text: string, phone: string): Promise<void> {
    const code = (URL.canParse(text) ? new URL(text).searchParams.get('qr') : null) ?? text;
    const scan = this.#scans.get(code);
    if (!scan) throw new ScanRefused('qr_unknown');
    this.#scans.delete(code);
    await scan(phone);
  }
}

export interface QrRotationOptions {
  board: QrBoard;
  /** What the code's link begins with, asked anew for every code. */
  publicUrl: () => string;
  /** How long each code lives, in milliseconds; as many codes as there are entries. */
  lifetimesMs: readonly number[];
  show(code: { text: string; expiresAt: Date }): void;
  onScanned(phone: string): Promise<void>;
  onExpired(): void;
}

/** Shows one code after the other until one is scanned, `stop` is called or they run out. */
export class QrRotation {
  readonly #options: QrRotationOptions;
  #current: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: QrRotationOptions) {
    this.#options = options;
    this.#showNext(0);
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (this.#current !== null) this.#options.board.remove(this.#current);
    this.#current = null;
  }

  #showNext(index: number): void {
    this.stop();
    const { board, lifetimesMs, publicUrl, onExpired: ranOut, onScanned: scanned, show } = this.#options;
    const lifetimeMs = lifetimesMs[index];
    if (lifetimeMs === undefined) {
      ranOut();
      return;
    }
    const code = randomBytes(18).toString('base64url');
    this.#current = code;
    board.put(code, (phone) => {
      this.stop();
      return scanned(phone);
    });
    this.#timer = setTimeout(() => this.#showNext(index + 1), lifetimeMs);
    const text = `${publicUrl()}/simulator?qr=${code}`;
    show({ text, expiresAt: new Date(Date.now() + lifetimeMs) });
  }
}
