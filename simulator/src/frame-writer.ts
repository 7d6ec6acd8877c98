/** In characters. Keeps bundles below `MAX_FRAME_BYTES`. */
const longestBundle = 1024 * 1024;

/** Sends all frames of one turn of the event loop as one bundle, to save socket writes and reads. */
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

  flush(): void {
    if (this.#waiting.length === 0) return;
    const bundle = `[${this.#waiting.join()}]`;
    this.#waiting = [];
    this.#length = 0;
    this.#send(bundle);
  }
}
