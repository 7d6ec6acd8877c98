import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { DeviceSession } from './device-session.ts';
import type { SimulatorLogger } from './logger.ts';
import type { Network } from './network.ts';
import { DEVICES_PATH, type DeviceFrame, MAX_FRAME_BYTES, type NetworkFrame } from './protocol.ts';

/** Where devices connect: accepts carriers on `server` and gives each frame to its session. */
export class DeviceEndpoint {
  readonly #carriers: WebSocketServer;
  readonly #network: Network;
  readonly #logger: SimulatorLogger;

  constructor(server: Server, network: Network, logger: SimulatorLogger) {
    this.#network = network;
    this.#logger = logger;
    this.#carriers = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
    this.#carriers.on('connection', (carrier) => this.#serve(carrier));
    server.on('upgrade', (request, socket, head) => {
      if (request.url !== DEVICES_PATH) {
        socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#carriers.handleUpgrade(request, socket, head, (carrier) =>
        this.#carriers.emit('connection', carrier, request),
      );
    });
  }

  /** Cuts every carrier. */
  close(): void {
    for (const carrier of this.#carriers.clients) carrier.terminate();
    this.#carriers.close();
  }

  #serve(carrier: WebSocket): void {
    const sessions = new Map<number, DeviceSession>();
    const fail = (error: unknown) => {
      this.#logger.error({ err: error }, 'a carrier is cut because the network failed on one of its frames');
      carrier.terminate();
    };
    carrier.on('message', (text) => {
      try {
        // Only the adapter speaks here; a frame that is none makes what follows throw, and the carrier is cut.
        this.#hear(carrier, sessions, JSON.parse(String(text)) as DeviceFrame).catch(fail);
      } catch (error) {
        fail(error);
      }
    });
    carrier.on('error', (error) => this.#logger.warn({ err: error }, 'a carrier failed'));
    carrier.on('close', () => {
      for (const session of [...sessions.values()]) session.drop();
    });
  }

  async #hear(carrier: WebSocket, sessions: Map<number, DeviceSession>, frame: DeviceFrame): Promise<void> {
    const number = frame.session;
    if (frame.type !== 'open') {
      await sessions.get(number)?.hear(frame);
      return;
    }
    const session = new DeviceSession(
      this.#network,
      (signal) => carrier.send(JSON.stringify({ ...signal, session: number } satisfies NetworkFrame)),
      () => sessions.delete(number),
    );
    sessions.set(number, session);
    session.open(frame.credential);
  }
}
