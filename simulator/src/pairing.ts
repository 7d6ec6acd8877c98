import { randomBytes } from 'node:crypto';

export type ScanRefusal = 'qr_unknown' | 'phone_banned' | 'pairing_refused' | 'pairing_interrupted';

const messages: Readonly<Record<ScanRefusal, string>> = {
  qr_unknown: 'This code has expired or was already scanned. Scan the current code',
  phone_banned: 'The network has blocked this number',
  pairing_refused: 'The device refused the link. Its status gives the reason',
  pairing_interrupted: 'The connection to the device ended before it was linked. Scan again',
};

export class ScanRefused extends Error {
  override readonly name = 'ScanRefused';
  readonly reason: ScanRefusal;
  constructor(reason: ScanRefusal) {
    super(messages[reason]);
    this.reason = reason;
  }
}

/** The codes that can be scanned now, each with its scan handler. */
export class QrBoard {
  readonly #scans = new Map<string, (phone: string) => Promise<void>>();

  put(code: string, scan: (phone: string) => Promise<void>): void {
    this.#scans.set(code, scan);
  }

  remove(code: string): void {
    this.#scans.delete(code);
  }

  /** Accepts the text of a QR code or the code in it. A code works once. Rejects with `ScanRefused`. */
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
  /** Read for each code. */
  publicUrl: () => string;
  lifetimesMs: readonly number[];
  show(code: { text: string; expiresAt: Date }): void;
  onScanned(phone: string): Promise<void>;
  onExpired(): void;
}

/** Shows each code in turn until one is scanned, `stop` is called or all have expired. */
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
    const { board, lifetimesMs, publicUrl, onExpired, onScanned, show } = this.#options;
    const lifetimeMs = lifetimesMs[index];
    if (lifetimeMs === undefined) {
      onExpired();
      return;
    }
    const code = randomBytes(18).toString('base64url');
    this.#current = code;
    board.put(code, (phone) => {
      this.stop();
      return onScanned(phone);
    });
    this.#timer = setTimeout(() => this.#showNext(index + 1), lifetimeMs);
    const text = `${publicUrl()}/simulator?qr=${code}`;
    show({ text, expiresAt: new Date(Date.now() + lifetimeMs) });
  }
}
