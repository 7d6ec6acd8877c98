import type { InboundMessage } from '@parley/server/messaging-network';
import type { WASocket } from 'baileys';
import { type DownloadOptions, downloadMedia, withoutMedia } from './media-download.ts';
import type { MediaReference } from './media-reference.ts';
import { requestUpload } from './upload-request.ts';

/** Files are held in memory. */
const maxRunning = 4;

export interface MediaDownloadsOptions extends Pick<DownloadOptions, 'maxBytes' | 'isFake' | 'warn'> {
  /** Time for one download. */
  deadlineMs: number;
  /** Resolves when the device is connected. */
  waitForSocket(): Promise<WASocket>;
}

/** The downloads of a session. They run a few at a time, and each has a deadline. */
export class MediaDownloads {
  readonly #options: MediaDownloadsOptions;
  readonly #ended = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #lastSuccess = 0;

  constructor(options: MediaDownloadsOptions) {
    this.#options = options;
  }

  /**
   * `receivedAt` is a time of `performance.now()`. If downloads only fail, a message that has waited longer than the deadline is
   * returned without its media. Otherwise each of a hundred files of a host that hangs would delay its chat.
   */
  async fetch(message: InboundMessage, media: MediaReference, receivedAt: number): Promise<InboundMessage> {
    const { deadlineMs } = this.#options;
    await this.#enter();
    try {
      const hopelessAt = Math.max(receivedAt, this.#lastSuccess) + deadlineMs;
      if (performance.now() > hopelessAt) return withoutMedia(message, 'unavailable');
      const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(deadlineMs)]);
      const fetched = await this.#download(message, media, signal);
      if (fetched.details?.missingMedia !== 'unavailable') this.#lastSuccess = performance.now();
      return fetched;
    } finally {
      this.#leave();
    }
  }

  #download(message: InboundMessage, media: MediaReference, signal: AbortSignal): Promise<InboundMessage> {
    const { maxBytes, isFake, warn, waitForSocket } = this.#options;
    return downloadMedia(message, media, {
      maxBytes,
      isFake,
      warn,
      signal,
      requestUpload: async () => requestUpload(await waitForSocket(), media, signal),
    });
  }

  /** Aborts the downloads. */
  end(): void {
    this.#ended.abort(new Error('the session has ended'));
  }

  async #enter(): Promise<void> {
    if (this.#running < maxRunning) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The next download takes the place. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
