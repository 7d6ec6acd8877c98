import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { DeviceSession } from './device-session.ts';
import { FrameWriter } from './frame-writer.ts';
import type { SimulatorLogger } from './logger.ts';
import type { Network } from './network.ts';
import { DEVICES_PATH, type DeviceFrame, MAX_FRAME_BYTES, type NetworkFrame } from './protocol.ts';

/** A device's connection, as it is served. */
interface Served {
  frames: FrameWriter<NetworkFrame>;
  sessions: Map<number, DeviceSession>;
}

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
    const served: Served = {
      frames: new FrameWriter((bundle) => carrier.send(bundle)),
      sessions: new Map(),
    };
    const fail = (error: unknown) => {
      this.#logger.error({ err: error }, 'a carrier is cut because the network failed on one of its frames');
      carrier.terminate();
    };
    carrier.on('message', (bundle) => {
      try {
        // Only the adapter speaks here; a frame that is none makes what follows throw, and the carrier is cut.
        for (const frame of JSON.parse(String(bundle)) as DeviceFrame[])
          this.#hear(served, frame).catch(fail);
      } catch (error) {
        fail(error);
      }
    });
    carrier.on('error', (error) => this.#logger.warn({ err: error }, 'a carrier failed'));
    carrier.on('close', () => {
      for (const session of [...served.sessions.values()]) session.drop();
    });
  }

  async #hear({ frames, sessions }: Served, frame: DeviceFrame): Promise<void> {
    const number = frame.session;
    if (frame.type !== 'open') {
      await sessions.get(number)?.handleSignal(frame);
      return;
    }
    const session = new DeviceSession(
      this.#network,
      (signal) => frames.write({ ...signal, session: number }),
      () => sessions.delete(number),
    );
    sessions.set(number, session);
    session.open(frame.credential);
  }
}
