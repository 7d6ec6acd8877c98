/** In characters: what waits is sent at the latest when it is this long, so that no bundle outgrows `MAX_FRAME_BYTES`. */
const longestBundle = 1024 * 1024;

/**
 * Either side of the wire says much at once: what is written in one turn of the event loop leaves as one bundle, which
 * costs one write to the socket and one read from it instead of one for each frame.
 */
export class FrameWriter<Frame extends object> {
  readonly #send: (bundle: string) => void;
  #waiting: string[] = [];
  #length = 0;

  constructor(send: (bundle: string) => void) {
    this.#send = send;
  }

  write(frame: Frame): void {
    const text = JSON.stringify(frame);
    if (this.#length + text.length > longestBundle) this.flush();
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#waiting.push(text);
    this.#length += text.length;
  }

  /** Sends what waits, now. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const bundle = `[${this.#waiting.join()}]`;
    this.#waiting = [];
    this.#length = 0;
    this.#send(bundle);
  }
}
