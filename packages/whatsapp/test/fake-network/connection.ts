import {
  type BinaryNode,
  decodeBinaryNode,
  encodeBinaryNode,
  type KeyPair,
  NOISE_WA_HEADER,
  proto,
} from 'baileys';
import type { WebSocket } from 'ws';
import { NoiseResponder, type Transport } from './noise.ts';

export interface ConnectionHandler {
  /** The handshake has finished. `clientKey` identifies the device. */
  opened(connection: Connection, client: { clientKey: Buffer; payload: proto.ClientPayload }): void;
  received(connection: Connection, node: BinaryNode): Promise<void>;
  closed(connection: Connection): void;
}

/** One WebSocket of a device: the handshake, then nodes in both directions, processed in order. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #noise = new NoiseResponder(NOISE_WA_HEADER);
  readonly #handler: ConnectionHandler;
  readonly #server: { identity: KeyPair; certificates: Uint8Array };
  #buffered: Buffer = Buffer.alloc(0);
  #introduced = false;
  #greeted = false;
  #transport: Transport | null = null;
  #handling: Promise<void> = Promise.resolve();

  constructor(
    socket: WebSocket,
    server: { identity: KeyPair; certificates: Uint8Array },
    handler: ConnectionHandler,
  ) {
    this.#socket = socket;
    this.#server = server;
    this.#handler = handler;
    socket.on('message', (data: Buffer) => this.#buffer(data));
    socket.on('close', () => handler.closed(this));
    socket.on('error', () => socket.terminate());
  }

  /** Nodes sent on a closed connection are lost. */
  send(node: BinaryNode): void {
    if (this.#transport === null || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#write(this.#transport.encrypt(encodeBinaryNode(node)));
  }

  /** Sends a frame that cannot be decrypted. */
  sendGarbage(): void {
    this.#write(Buffer.alloc(64, 1));
  }

  /** Sends `node`, if given, and closes. */
  end(node?: BinaryNode): void {
    if (node) this.send(node);
    this.#socket.close();
  }

  cut(): void {
    this.#socket.terminate();
  }

  #buffer(data: Buffer): void {
    this.#buffered = Buffer.concat([this.#buffered, data]);
    if (!this.#introduced && this.#buffered.length >= NOISE_WA_HEADER.length) {
      this.#buffered = this.#buffered.subarray(NOISE_WA_HEADER.length);
      this.#introduced = true;
    }
    while (this.#introduced && this.#buffered.length >= 3) {
      const end = 3 + this.#buffered.readUIntBE(0, 3);
      if (this.#buffered.length < end) return;
      const frame = this.#buffered.subarray(3, end);
      this.#buffered = this.#buffered.subarray(end);
      this.#handleFrame(frame);
    }
  }

  #handleFrame(frame: Buffer): void {
    if (this.#transport !== null) {
      const opened = this.#transport.decrypt(frame);
      this.#handling = this.#handling.then(async () =>
        this.#handler.received(this, await decodeBinaryNode(opened)),
      );
      return;
    }
    const { clientHello, clientFinish } = proto.HandshakeMessage.decode(frame);
    if (!this.#greeted && clientHello?.ephemeral) {
      this.#greeted = true;
      const serverHello = this.#noise.answer(
        clientHello.ephemeral,
        this.#server.identity,
        this.#server.certificates,
      );
      this.#write(proto.HandshakeMessage.encode({ serverHello }).finish());
    } else if (clientFinish?.static && clientFinish.payload) {
      const { clientKey, payload } = this.#noise.finish(clientFinish.static, clientFinish.payload);
      this.#transport = this.#noise.split();
      this.#handler.opened(this, { clientKey, payload: proto.ClientPayload.decode(payload) });
    }
  }

  #write(bytes: Uint8Array): void {
    const length = Buffer.alloc(3);
    length.writeUIntBE(bytes.length, 0, 3);
    this.#socket.send(Buffer.concat([length, bytes]));
  }
}
