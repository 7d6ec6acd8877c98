import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type DeviceSignal, devicesPath, type NetworkSignal } from './protocol.ts';

/** A device for tests of the wire protocol. It never confirms deliveries by itself. */
export class TestDevice {
  readonly signals: NetworkSignal[] = [];
  readonly #socket: WebSocket;
  #changed = Promise.withResolvers<void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (bundle) => {
      this.signals.push(...(JSON.parse(String(bundle)) as NetworkSignal[]));
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
  }

  static async connect(url: string): Promise<TestDevice> {
    const socket = new WebSocket(url.replace('http', 'ws') + devicesPath);
    await once(socket, 'open');
    return new TestDevice(socket);
  }

  send(signal: DeviceSignal): void {
    this.#socket.send(JSON.stringify([{ ...signal, session: 1 }]));
  }

  sendRaw(text: string): void {
    this.#socket.send(text);
  }

  async closed(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.CLOSED) await once(this.#socket, 'close');
  }

  /** Waits for the first signal of this type after `skip` earlier ones. */
  async waitForSignal<Type extends NetworkSignal['type']>(
    type: Type,
    skip = 0,
  ): Promise<Extract<NetworkSignal, { type: Type }>> {
    for (;;) {
      const found = this.signals.filter(
        (signal): signal is Extract<NetworkSignal, { type: Type }> => signal.type === type,
      )[skip];
      if (found) return found;
      await this.#changed.promise;
    }
  }

  async link(scan: (qr: string) => Promise<unknown>): Promise<string> {
    this.send({ type: 'open', credential: null });
    const { text } = await this.waitForSignal('qr');
    const scanned = scan(text);
    await this.waitForSignal('offer');
    this.send({ type: 'pairing', accept: true });
    const { credential } = await this.waitForSignal('credential');
    this.send({ type: 'stored' });
    await scanned;
    await this.waitForSignal('up');
    return credential;
  }

  close(): void {
    this.#socket.terminate();
  }
}
