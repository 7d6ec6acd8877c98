import { type Server, STATUS_CODES } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { DeviceSession } from './device-session.ts';
import { FrameWriter } from './frame-writer.ts';
import type { Refuse } from './http-app.ts';
import type { SimulatorLogger } from './logger.ts';
import type { Network } from './network.ts';
import { type DeviceFrame, devicesPath, maxFrameBytes, type NetworkFrame } from './protocol.ts';

interface Connection {
  frames: FrameWriter<NetworkFrame>;
  sessions: Map<number, DeviceSession>;
}

/** Accepts WebSockets of adapters on `server` and passes each frame to its session. */
export class DeviceEndpoint {
  readonly #sockets: WebSocketServer;
  readonly #network: Network;
  readonly #logger: SimulatorLogger;

  constructor(
    server: Server,
    network: Network,
    { logger, refuse }: { logger: SimulatorLogger; refuse: Refuse },
  ) {
    this.#network = network;
    this.#logger = logger;
    this.#sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes });
    this.#sockets.on('connection', (socket) => this.#serve(socket));
    server.on('upgrade', (request, socket, head) => {
      const status = refuse(request.headers)?.status ?? (request.url === devicesPath ? 101 : 404);
      if (status !== 101) {
        const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
        socket.end(`${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (socket) =>
        this.#sockets.emit('connection', socket, request),
      );
    });
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
  }

  #serve(socket: WebSocket): void {
    const connection: Connection = {
      frames: new FrameWriter((bundle) => socket.send(bundle)),
      sessions: new Map(),
    };
    const fail = (error: unknown) => {
      this.#logger.error({ err: error }, 'closed a connection because a frame could not be processed');
      socket.terminate();
    };
    socket.on('message', (bundle) => {
      try {
        // Only the adapter connects here. An invalid frame throws and closes the connection.
        for (const frame of JSON.parse(String(bundle)) as DeviceFrame[])
          this.#handleFrame(connection, frame).catch(fail);
      } catch (error) {
        fail(error);
      }
    });
    socket.on('error', (error) => this.#logger.warn({ err: error }, 'a connection of an adapter failed'));
    socket.on('close', () => {
      for (const session of [...connection.sessions.values()]) session.drop();
    });
  }

  async #handleFrame({ frames, sessions }: Connection, frame: DeviceFrame): Promise<void> {
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
