import type { createServer } from 'node:http';
import {
  type BinaryNode,
  Curve,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  type proto,
  S_WHATSAPP_NET,
} from 'baileys';
import { WebSocketServer } from 'ws';
import { Accounts, type LinkedDevice } from './accounts.ts';
import { createCertificates } from './certificates.ts';
import { Connection, type ConnectionHandler } from './connection.ts';
import { Journal } from './journal.ts';
import type { MediaFault, MediaServer } from './media-server.ts';
import { Messages, newId } from './messages.ts';
import { Pairing } from './pairing.ts';
import { answerQuery } from './queries.ts';
import { SignalParty } from './signal-party.ts';

/** Faults for a linked device. */
export type FakeFault =
  | 'drop'
  | 'unlink'
  | 'ban'
  | 'replace'
  | 'refuse_next'
  /** The refusal of the next message waits for `send_refusal`. */
  | 'refuse_next_late'
  | 'send_refusal'
  | 'lose_next'
  | 'garbage'
  /** The contacts of the device lose their encryption sessions with it. */
  | 'forget_sessions'
  /** The phone gets new keys, and its own devices and contacts are notified. */
  | 'reinstall'
  | 'pre_keys_low'
  | 'account_changed'
  | 'phone_offline'
  | 'phone_online'
  | 'restrict'
  | 'restrict_briefly'
  | 'lift_restriction'
  /** Media that phones upload from now on have no fault. */
  | 'media_up'
  /** Earlier media have no fault any more, unless they expired. */
  | 'media_repair'
  | `media_${MediaFault}`
  | 'accept_logins'
  /** Closes the connection with this code. */
  | `fail_${number}`
  /** Refuses each login with this code. */
  | `refuse_logins_${number}`;

/** An in-memory network of phones that accepts real linked-device clients. */
export class FakeNetwork implements ConnectionHandler {
  readonly journal = new Journal();
  readonly accounts = new Accounts();
  readonly pairing = new Pairing(this.journal);
  readonly media: MediaServer;
  readonly messages: Messages;
  readonly #devices = new Map<Connection, LinkedDevice>();
  /** By the id of the ping. */
  readonly #pings = new Map<string, () => void>();

  constructor(media: MediaServer) {
    this.media = media;
    this.messages = new Messages(this.accounts, this.journal, media);
  }

  /** Accepts WebSockets on this HTTP server. */
  serve(server: ReturnType<typeof createServer>): void {
    const identity = Curve.generateKeyPair();
    const certificates = createCertificates(identity);
    const sockets = new WebSocketServer({ server, path: '/ws/chat' });
    sockets.on('connection', (socket) => new Connection(socket, { identity, certificates }, this));
  }

  /** Resolves when the device answers. */
  ping(number: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const id = newId();
    this.#pings.set(id, resolve);
    const ping = { tag: 'iq', attrs: { id, from: S_WHATSAPP_NET, type: 'get', xmlns: 'urn:xmpp:ping' } };
    this.accounts.getLinkedDevice(number).connection?.send(ping);
    return promise;
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
      case 'unlink':
        this.#unlink(device);
        break;
      case 'ban':
        this.#refuseLogins(device, '406');
        break;
      case 'refuse_next':
        device.nextOutcome = 'refuse';
        break;
      case 'refuse_next_late':
        device.nextOutcome = 'refuse_late';
        break;
      case 'send_refusal':
        if (device.lateRefusal !== null) device.connection?.send(device.lateRefusal);
        break;
      case 'lose_next':
        device.nextOutcome = 'lose';
        break;
      case 'accept_logins':
        device.loginFailure = null;
        break;
      case 'media_up':
        this.media.fail(null);
        break;
      case 'media_repair':
        this.media.repair();
        break;
      case 'media_down':
      case 'media_hang':
      case 'media_trickle':
      case 'media_redirect':
      case 'media_expire':
        // The rest of the fault's name.
        this.media.fail(fault.slice('media_'.length) as MediaFault);
        break;
      case 'phone_offline':
      case 'phone_online':
        device.phone.offline = fault === 'phone_offline';
        break;
      case 'restrict':
      case 'restrict_briefly':
        device.phone.restrictedUntil = new Date(Date.now() + (fault === 'restrict' ? 3_600_000 : 4_000));
        break;
      case 'lift_restriction':
        device.phone.restrictedUntil = null;
        device.connection?.send(notify('mex', S_WHATSAPP_NET, [restrictionLifted]));
        break;
      default:
        this.#injectKeyFault(device, fault);
    }
  }

  #injectKeyFault(device: LinkedDevice, fault: FakeFault): void {
    const [, failed] = fault.match(/^fail_(\d+)$/) ?? [];
    const [, refused] = fault.match(/^refuse_logins_(\d+)$/) ?? [];
    if (failed !== undefined) device.connection?.end(failure(failed));
    else if (refused !== undefined) this.#refuseLogins(device, refused);
    else if (fault === 'forget_sessions') {
      for (const phone of this.accounts.all())
        if (phone !== device.phone) phone.signal = new SignalParty(phone.signal.creds);
    } else if (fault === 'pre_keys_low') {
      device.preKeys.length = 0;
      device.connection?.send(notify('encrypt', S_WHATSAPP_NET, [{ tag: 'count', attrs: { value: '0' } }]));
    } else if (fault === 'account_changed') {
      device.connection?.send(notify('account_sync', device.phone.jid, [{ tag: 'devices', attrs: {} }]));
    } else if (fault === 'reinstall') {
      for (const phone of this.accounts.all()) {
        if (phone === device.phone) continue;
        phone.signal = new SignalParty();
        const identity = { tag: 'identity', attrs: {} };
        if (device.phone.writers.has(phone.number))
          device.connection?.send(notify('encrypt', phone.address, [identity]));
      }
    }
  }

  #refuseLogins(device: LinkedDevice, code: string): void {
    device.loginFailure = failure(code);
    device.connection?.end(device.loginFailure);
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
    if (device === null || device.loginFailure !== null) {
      const refusal = device?.loginFailure ?? failure('401');
      const number = device?.phone.number ?? '';
      this.journal.add({ type: 'login_refused', device: number, reason: refusal.attrs['reason'] ?? '' });
      connection.end(refusal);
      return;
    }
    device.connection?.end(streamConflict('replaced'));
    device.connection = connection;
    device.ready = false;
    this.#devices.set(connection, device);
    const { primary, secondary, tertiary } = payload.userAgent?.appVersion ?? {};
    const version = [primary, secondary, tertiary].join('.');
    this.journal.add({ type: 'login', device: device.phone.number, version });
    connection.send({ tag: 'success', attrs: { t: String(Math.floor(Date.now() / 1000)), lid: device.lid } });
  }

  async received(connection: Connection, node: BinaryNode): Promise<void> {
    if (this.pairing.handleReply(connection, node)) return;
    const device = this.#devices.get(connection);
    if (!device) return;
    switch (node.tag) {
      case 'iq':
        if (node.attrs['type'] === 'result') this.#pings.get(node.attrs['id'] ?? '')?.();
        this.#answer(device, connection, node);
        break;
      case 'message':
        await this.messages.sent(device, node);
        break;
      case 'receipt':
        if (node.attrs['type'] === 'server-error') this.messages.requestUpload(device, node);
        else await this.messages.confirmed(device, node);
        break;
      case 'ack':
        if (node.attrs['class'] === 'message' || node.attrs['class'] === 'call')
          await this.messages.confirmed(device, node);
        if (node.attrs['class'] === 'receipt') this.messages.confirmedReceipt(device, node);
        break;
      case 'chatstate':
      case 'presence': {
        const [state] = getAllBinaryNodeChildren(node);
        const seen = state?.tag ?? node.attrs['type'] ?? '';
        this.journal.add({ type: 'presence', device: device.phone.number, state: seen });
        break;
      }
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
    connection.send(
      answerQuery({ accounts: this.accounts, journal: this.journal, media: this.media, device }, query),
    );
    if (getBinaryNodeChild(query, 'remove-companion-device')) this.#unlink(device);
    if (getBinaryNodeChild(query, 'active')) this.messages.serveBacklog(device);
  }

  #unlink(device: LinkedDevice): void {
    device.phone.devices.delete(device.id);
    device.connection?.end(streamConflict('device_removed', '401'));
  }
}

const suspensionSeconds = 3600;

const failure = (reason: string): BinaryNode => ({
  tag: 'failure',
  attrs: {
    reason,
    from: S_WHATSAPP_NET,
    ...(reason === '402' && { code: '101', expire: String(suspensionSeconds) }),
  },
});

const notify = (type: string, from: string, content: BinaryNode[]): BinaryNode => ({
  tag: 'notification',
  attrs: { id: newId(), from, type, t: String(Math.floor(Date.now() / 1000)) },
  content,
});

const restrictionLifted: BinaryNode = {
  tag: 'update',
  attrs: { op_name: 'NotificationUserReachoutTimelockUpdate' },
  content: Buffer.from(
    JSON.stringify({ data: { xwa2_notify_account_reachout_timelock: { is_active: false } } }),
  ),
};

const streamConflict = (type: string, code?: string): BinaryNode => ({
  tag: 'stream:error',
  attrs: code === undefined ? {} : { code },
  content: [{ tag: 'conflict', attrs: { type } }],
});
