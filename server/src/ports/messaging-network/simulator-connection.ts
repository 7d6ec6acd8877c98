import { FrameWriter } from '@parley/simulator/frame-writer';
import {
  type DeviceFrame,
  type DeviceSignal,
  devicesPath,
  maxFrameBytes,
  type NetworkFrame,
  type NetworkSignal,
} from '@parley/simulator/protocol';
import { WebSocket } from 'ws';

const connectTimeoutMs = 10_000;

export interface MultiplexedSession {
  handleSignal(signal: NetworkSignal): void;
  handleConnectionLost(): void;
}

export class SimulatorConnection {
  readonly #socket: WebSocket;
  readonly #frames: FrameWriter<DeviceFrame>;
  readonly #sessions = new Map<number, MultiplexedSession>();
  #lastNumber = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    // Frames written to a closed socket are lost, as on any broken connection.
    this.#frames = new FrameWriter((bundle) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(bundle);
    });
  }

  /** `url` is the simulator's HTTP address. Calls `onClosed` once. Rejects when the simulator is unreachable. */
  static connect(url: string, heartbeatMs: number, onClosed: () => void): Promise<SimulatorConnection> {
    const address = new URL(devicesPath, url);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address, {
      handshakeTimeout: connectTimeoutMs,
      maxPayload: maxFrameBytes,
      perMessageDeflate: false,
    });
    const { promise, resolve, reject } = Promise.withResolvers<SimulatorConnection>();
    socket.on('error', reject);
    socket.on('open', () => {
      const connection = new SimulatorConnection(socket);
      connection.#run(heartbeatMs, onClosed);
      resolve(connection);
    });
    return promise;
  }

  attach(session: MultiplexedSession): number {
    this.#lastNumber += 1;
    this.#sessions.set(this.#lastNumber, session);
    return this.#lastNumber;
  }

  detach(number: number): void {
    this.#sessions.delete(number);
  }

  send(number: number, signal: DeviceSignal): void {
    this.#frames.write({ ...signal, session: number });
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = Promise.withResolvers<void>();
    this.#socket.once('close', () => closed.resolve());
    this.#frames.flush();
    this.#socket.terminate();
    await closed.promise;
  }

  #run(heartbeatMs: number, onClosed: () => void): void {
    let answered = true;
    const heartbeat = setInterval(() => {
      if (answered) this.#socket.ping();
      else this.#socket.terminate();
      answered = false;
    }, heartbeatMs);
    this.#socket.on('pong', () => {
      answered = true;
    });
    this.#socket.on('message', (bundle) => {
      // The simulator sends frames of its own protocol and nothing else.
      for (const { session, ...signal } of JSON.parse(String(bundle)) as NetworkFrame[]) {
        this.#sessions.get(session)?.handleSignal(signal);
      }
    });
    this.#socket.on('close', () => {
      clearInterval(heartbeat);
      onClosed();
      for (const session of [...this.#sessions.values()]) session.handleConnectionLost();
    });
  }
}
