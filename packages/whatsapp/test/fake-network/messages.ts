import { randomBytes } from 'node:crypto';
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type proto,
  S_WHATSAPP_NET,
} from 'baileys';
import type { Accounts, LinkedDevice, Phone } from './accounts.ts';
import type { Journal } from './journal.ts';

const seconds = () => String(Math.floor(Date.now() / 1000));

/** Delivers messages between linked devices and phones. */
export class Messages {
  readonly #accounts: Accounts;
  readonly #journal: Journal;
  /** Ids of a device's messages that its contact has not read. */
  readonly #unread = new Map<string, string[]>();

  constructor(accounts: Accounts, journal: Journal) {
    this.#accounts = accounts;
    this.#journal = journal;
  }

  /** Sends a text from a phone to its contact. Returns the message's id. */
  async write(from: Phone, to: Phone, text: string): Promise<string> {
    const id = randomBytes(10).toString('hex').toUpperCase();
    this.#journal.received(to.number, from.number, { id, kind: 'text', text, bytes: null });
    for (const device of from.devices.values()) {
      const message = { deviceSentMessage: { destinationJid: to.jid, message: { conversation: text } } };
      await this.#deliver(device, from, id, message, {
        recipient: to.lid,
        peer_recipient_pn: to.jid,
      });
    }
    for (const device of to.devices.values()) {
      this.#readReceipt(device, from);
      await this.#deliver(device, from, id, { conversation: text }, { sender_pn: from.jid });
    }
    return id;
  }

  /** Sends the device its queued messages, marked as offline. */
  serveBacklog(device: LinkedDevice): void {
    const backlog = [...device.waiting.values()];
    for (const node of backlog) device.connection?.send({ ...node, attrs: { ...node.attrs, offline: '1' } });
    device.connection?.send({
      tag: 'ib',
      attrs: { from: S_WHATSAPP_NET },
      content: [{ tag: 'offline', attrs: { count: String(backlog.length) } }],
    });
    device.ready = true;
  }

  /** Removes a message that the device confirmed or rejected from its queue. */
  confirmed(device: LinkedDevice, node: BinaryNode): void {
    const { id = '', error } = node.attrs;
    if (!device.waiting.delete(id)) return;
    const entry = { device: device.phone.number, id };
    this.#journal.add(
      error === undefined ? { type: 'delivered', ...entry } : { type: 'nack', ...entry, error },
    );
  }

  /** Decrypts a message of the device for its recipients, and acknowledges it. */
  async sent(device: LinkedDevice, node: BinaryNode): Promise<void> {
    const { id = '', to = '' } = node.attrs;
    const outcome = device.nextOutcome;
    device.nextOutcome = null;
    const contact = this.#accounts.findByJid(to);
    const ack = { tag: 'ack', attrs: { class: 'message', id, from: to, t: seconds() } };
    if (contact === null || outcome === 'refuse') {
      device.connection?.send({ ...ack, attrs: { ...ack.attrs, error: '463' } });
      return;
    }
    await this.#open(device, contact, node);
    if (outcome === 'lose') return;
    device.connection?.send(ack);
    device.connection?.send({ tag: 'receipt', attrs: { id, from: to, t: seconds() } });
  }

  async #open(device: LinkedDevice, contact: Phone, node: BinaryNode): Promise<void> {
    const id = node.attrs['id'] ?? '';
    for (const to of getBinaryNodeChildren(getBinaryNodeChild(node, 'participants'), 'to')) {
      const phone = this.#accounts.findByJid(to.attrs['jid'] ?? '');
      const enc = getBinaryNodeChild(to, 'enc');
      if (phone === null || !(enc?.content instanceof Uint8Array)) continue;
      const type = enc.attrs['type'] === 'pkmsg' ? 'pkmsg' : 'msg';
      const message = await phone.signal.decrypt(device.lid, { type, ciphertext: enc.content });
      if (phone !== contact) continue;
      const text = message.extendedTextMessage?.text ?? message.conversation ?? '';
      const from = device.phone.number;
      this.#journal.add({ type: 'sent', device: from, contact: contact.number, id, text });
      this.#journal.received(contact.number, from, { id, kind: 'text', text, bytes: null });
      this.#unread.set(`${contact.number} ${from}`, [
        ...(this.#unread.get(`${contact.number} ${from}`) ?? []),
        id,
      ]);
    }
  }

  /** A reply marks earlier messages as read. */
  #readReceipt(device: LinkedDevice, contact: Phone): void {
    const chat = `${contact.number} ${device.phone.number}`;
    const [id, ...more] = this.#unread.get(chat) ?? [];
    this.#unread.delete(chat);
    if (id === undefined) return;
    const items = more.map((each) => ({ tag: 'item', attrs: { id: each } }));
    device.connection?.send({
      tag: 'receipt',
      attrs: { id, from: contact.lid, type: 'read', t: seconds() },
      content: [{ tag: 'list', attrs: {}, content: items }],
    });
  }

  async #deliver(
    device: LinkedDevice,
    from: Phone,
    id: string,
    message: proto.IMessage,
    attrs: Record<string, string>,
  ): Promise<void> {
    const { type, ciphertext } = await from.signal.encrypt(device.lid, message, () => device.takeBundle());
    const node = {
      tag: 'message',
      attrs: { id, from: from.lid, type: 'text', addressing_mode: 'lid', t: seconds(), ...attrs },
      content: [{ tag: 'enc', attrs: { v: '2', type }, content: ciphertext }],
    };
    device.waiting.set(id, node);
    if (device.ready) device.connection?.send(node);
  }
}
