import { FrameWriter } from '@parley/simulator/frame-writer';
import {
  DEVICES_PATH,
  type DeviceFrame,
  type DeviceSignal,
  MAX_FRAME_BYTES,
  type NetworkFrame,
  type NetworkSignal,
} from '@parley/simulator/protocol';
import { WebSocket } from 'ws';

const CONNECT_DEADLINE_MS = 10_000;

/** The device's end of one session on a carrier. */
export interface MultiplexedSession {
  handleSignal(signal: NetworkSignal): void;
  /** The carrier is gone, and every session with it. */
  handleConnectionLost(): void;
}

/** One WebSocket to the simulated network, shared by all sessions of an adapter: 10,000 sessions, one socket. */
export class SimulatorConnection {
  readonly #socket: WebSocket;
  readonly #frames: FrameWriter<DeviceFrame>;
  readonly #sessions = new Map<number, MultiplexedSession>();
  #lastNumber = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    // What is said on a carrier that is gone is lost, as on any broken connection.
    this.#frames = new FrameWriter((bundle) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(bundle);
    });
  }

  /** `url` is the simulator's http address. Rejects when it cannot be reached. `gone` is called once, at the end. */
  static connect(url: string, heartbeatMs: number, gone: () => void): Promise<SimulatorConnection> {
    const address = new URL(DEVICES_PATH, url);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address, {
      handshakeTimeout: CONNECT_DEADLINE_MS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    });
    const { promise, resolve, reject } = Promise.withResolvers<SimulatorConnection>();
    socket.on('error', reject);
    socket.on('open', () => {
      const carrier = new SimulatorConnection(socket);
      carrier.#run(heartbeatMs, gone);
      resolve(carrier);
    });
    return promise;
  }

  /** Answers with the number of the session on this carrier. */
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

  /** Resolves when the socket is closed. */
  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = Promise.withResolvers<void>();
    this.#socket.once('close', () => closed.resolve());
    this.#frames.flush();
    this.#socket.terminate();
    await closed.promise;
  }

  #run(heartbeatMs: number, gone: () => void): void {
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
      gone();
      for (const session of [...this.#sessions.values()]) session.handleConnectionLost();
    });
  }
}
