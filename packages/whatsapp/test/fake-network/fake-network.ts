import type { createServer } from 'node:http';
import { type BinaryNode, Curve, getBinaryNodeChild, type proto, S_WHATSAPP_NET } from 'baileys';
import { WebSocketServer } from 'ws';
import { Accounts, type LinkedDevice } from './accounts.ts';
import { createCertificates } from './certificates.ts';
import { Connection, type ConnectionHandler } from './connection.ts';
import { Journal } from './journal.ts';
import { Messages } from './messages.ts';
import { Pairing } from './pairing.ts';
import { answerQuery } from './queries.ts';

/** Faults for a linked device. */
export type FakeFault =
  | 'drop'
  | 'unlink'
  | 'ban'
  | 'replace'
  | 'refuse_next'
  | 'lose_next'
  | 'garbage'
  | 'outdated';

/** An in-memory network of phones that accepts real linked-device clients. */
export class FakeNetwork implements ConnectionHandler {
  readonly journal = new Journal();
  readonly accounts = new Accounts();
  readonly pairing = new Pairing();
  readonly messages = new Messages(this.accounts, this.journal);
  readonly #devices = new Map<Connection, LinkedDevice>();

  /** Accepts WebSockets on this HTTP server. */
  serve(server: ReturnType<typeof createServer>): void {
    const identity = Curve.generateKeyPair();
    const certificates = createCertificates(identity);
    const sockets = new WebSocketServer({ server, path: '/ws/chat' });
    sockets.on('connection', (socket) => new Connection(socket, { identity, certificates }, this));
  }

  injectFault(number: string, fault: FakeFault): void {
    const device = this.accounts.getLinkedDevice(number);
    switch (fault) {
      case 'drop':
        device.connection?.cut();
        break;
      case 'garbage':
        device.connection?.sendGarbage();
        break;
      case 'replace':
        device.connection?.end(streamConflict('replaced'));
        break;
      case 'outdated':
        device.connection?.end(failure('405'));
        break;
      case 'unlink':
        this.#unlink(device);
        break;
      case 'ban':
        device.phone.banned = true;
        device.connection?.end(failure('403'));
        break;
      case 'refuse_next':
        device.nextOutcome = 'refuse';
        break;
      case 'lose_next':
        device.nextOutcome = 'lose';
        break;
    }
  }

  opened(
    connection: Connection,
    { clientKey, payload }: { clientKey: Buffer; payload: proto.ClientPayload },
  ): void {
    if (payload.devicePairingData) {
      this.pairing.begin(connection, clientKey, payload.devicePairingData);
      return;
    }
    const device = this.accounts.findDeviceByKey(clientKey);
    if (device === null || device.phone.banned) {
      connection.end(failure(device === null ? '401' : '403'));
      return;
    }
    device.connection?.end(streamConflict('replaced'));
    device.connection = connection;
    device.ready = false;
    this.#devices.set(connection, device);
    this.journal.add({ type: 'login', device: device.phone.number });
    connection.send({ tag: 'success', attrs: { t: String(Math.floor(Date.now() / 1000)), lid: device.lid } });
  }

  async received(connection: Connection, node: BinaryNode): Promise<void> {
    if (this.pairing.handleReply(connection, node)) return;
    const device = this.#devices.get(connection);
    if (!device) return;
    switch (node.tag) {
      case 'iq':
        this.#answer(device, connection, node);
        break;
      case 'message':
        await this.messages.sent(device, node);
        break;
      case 'receipt':
        this.messages.confirmed(device, node);
        break;
      case 'ack':
        if (node.attrs['class'] === 'message') this.messages.confirmed(device, node);
        break;
    }
  }

  closed(connection: Connection): void {
    this.pairing.disconnect(connection);
    const device = this.#devices.get(connection);
    this.#devices.delete(connection);
    if (device?.connection !== connection) return;
    device.connection = null;
    device.ready = false;
  }

  #answer(device: LinkedDevice, connection: Connection, query: BinaryNode): void {
    const { type } = query.attrs;
    if (type !== 'get' && type !== 'set') return;
    connection.send(answerQuery(this.accounts, device, query));
    if (getBinaryNodeChild(query, 'remove-companion-device')) this.#unlink(device);
    if (getBinaryNodeChild(query, 'active')) this.messages.serveBacklog(device);
  }

  #unlink(device: LinkedDevice): void {
    device.phone.devices.delete(device.id);
    device.connection?.end(streamConflict('device_removed', '401'));
  }
}

const failure = (reason: string): BinaryNode => ({
  tag: 'failure',
  attrs: { reason, from: S_WHATSAPP_NET },
});

const streamConflict = (type: string, code?: string): BinaryNode => ({
  tag: 'stream:error',
  attrs: code === undefined ? {} : { code },
  content: [{ tag: 'conflict', attrs: { type } }],
});
