import { randomBytes } from 'node:crypto';
import {
  type BinaryNode,
  encodeBigEndian,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type proto,
  S_WHATSAPP_NET,
} from 'baileys';
import type { Accounts, LinkedDevice, Phone } from './accounts.ts';
import type { Journal } from './journal.ts';
import type { MediaServer } from './media-server.ts';
import { encryptEdit, encryptVote, withSecret } from './message-secrets.ts';
import { answerPhoneRequest, answerUploadRequest } from './phone-requests.ts';
import { countMediaBytes, describeMessage } from './received-content.ts';
import { type Bundle, type Envelope, readBundle } from './signal-party.ts';

const seconds = () => String(Math.floor(Date.now() / 1000));

const greetingDelayMs = 400;

/** Requests of one message, after which a contact gives up. */
const maxRetries = 5;

export interface Writing {
  from: Phone;
  to: Phone;
  message: proto.IMessage;
  /** More attributes of the stanza. */
  attrs?: Record<string, string>;
}

/** Delivers messages between linked devices and phones. */
export class Messages {
  readonly #accounts: Accounts;
  readonly #journal: Journal;
  readonly #media: MediaServer;
  /** Ids of a device's messages that its contact has not read. */
  readonly #unread = new Map<string, string[]>();
  /** Written messages by id, for devices that ask again. */
  readonly #written = new Map<string, Writing>();
  readonly #retries = new Map<string, number>();

  constructor(accounts: Accounts, journal: Journal, media: MediaServer) {
    this.#media = media;
    this.#accounts = accounts;
    this.#journal = journal;
  }

  /** Sends a message from a phone to its contact. Returns the message's id. */
  async write({ from, to, message: content, attrs }: Writing, id = newId()): Promise<string> {
    const message = withSecret(content);
    const { greeting } = to;
    if (greeting !== null && !to.writers.has(from.number)) {
      const reply = { from: to, to: from, message: { conversation: greeting } };
      setTimeout(() => void this.write(reply), greetingDelayMs);
    }
    to.writers.add(from.number);
    this.#written.set(id, { from, to, message, ...(attrs && { attrs }) });
    this.#journal.received(to.number, from.number, { id, ...describeMessage(message) });
    for (const device of from.devices.values()) await this.#deliverOwn(device, id, { from, to, message });
    for (const device of to.devices.values()) {
      this.#readReceipt(device, from);
      await this.#deliver(device, from, id, message, { ...from.alternative('sender'), ...attrs });
    }
    return id;
  }

  /** Edits a message of the phone, encrypted with the message's secret. */
  edit({ from, to }: Omit<Writing, 'message'>, id: string, text: string): Promise<string> {
    return this.write({ from, to, message: encryptEdit(from, this.#find(id), text) });
  }

  /** Votes in a poll of either side. */
  vote({ from, to }: Omit<Writing, 'message'>, id: string, options: readonly string[]): Promise<string> {
    return this.write({ from, to, message: encryptVote(from, this.#find(id), options) });
  }

  #find(id: string): { id: string; author: Phone; message: proto.IMessage } {
    const written = this.#written.get(id);
    if (written === undefined) throw new Error(`nobody wrote the message ${id}`);
    return { id, author: written.from, message: written.message };
  }

  /** Calls the devices of `to`. Nobody accepts, or the phone does. */
  call(
    { from, to }: Omit<Writing, 'message'>,
    { accepted, video }: { accepted: boolean; video: boolean },
  ): string {
    const id = newId();
    to.writers.add(from.number);
    const caller = { 'call-id': id, 'call-creator': from.address, ...from.alternative('caller') };
    const media = video ? [{ tag: 'video', attrs: {} }] : [{ tag: 'audio', attrs: {} }];
    const reason = accepted ? 'accepted_elsewhere' : 'timeout';
    const steps: BinaryNode[] = [
      { tag: 'offer', attrs: caller, content: media },
      { tag: 'terminate', attrs: { ...caller, reason } },
    ];
    for (const device of to.devices.values())
      for (const step of steps)
        this.#queue(device, {
          tag: 'call',
          attrs: { id: newId(), from: from.address, t: seconds(), ...(from.name && { notify: from.name }) },
          content: [step],
        });
    return id;
  }

  /** Sends a message that only the phone of `to` can read. Its devices receive a placeholder. */
  placeholder({ from, to, message }: Writing, type?: string): string {
    const id = newId();
    to.writers.add(from.number);
    to.hidden.set(id, { from, message });
    const unavailable = { tag: 'unavailable', attrs: type === undefined ? {} : { type } };
    for (const device of to.devices.values())
      this.#queue(device, {
        tag: 'message',
        attrs: { ...this.#addresses(from, id), ...from.alternative('sender') },
        content: [unavailable],
      });
    return id;
  }

  /** Sends a message of a group to the devices of `to`. */
  writeToGroup(from: Phone, to: Phone): string {
    const id = newId();
    const enc = { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: randomBytes(64) };
    const attrs = { id, from: '12036302@g.us', participant: from.lid, type: 'text', t: seconds() };
    for (const device of to.devices.values()) this.#queue(device, { tag: 'message', attrs, content: [enc] });
    return id;
  }

  /** Sends the device its queued messages, marked as offline. */
  serveBacklog(device: LinkedDevice): void {
    const backlog = [...[...device.waiting.values()].map(({ node }) => node), ...device.receipts.values()];
    for (const node of backlog) device.connection?.send({ ...node, attrs: { ...node.attrs, offline: '1' } });
    device.connection?.send({
      tag: 'ib',
      attrs: { from: S_WHATSAPP_NET },
      content: [{ tag: 'offline', attrs: { count: String(backlog.length) } }],
    });
    device.ready = true;
  }

  /** Removes a message that the device confirmed or rejected from its queue. Returns once a requested copy is queued. */
  async confirmed(device: LinkedDevice, node: BinaryNode): Promise<void> {
    const { id = '', error, type } = node.attrs;
    const entry = { device: device.phone.number, id };
    if (type === 'read') this.#journal.add({ type: 'read', ...entry });
    const stanza = device.waiting.get(id);
    if (stanza === undefined || type === 'read') return;
    if (type === 'retry') return this.#writeAgain(device, node);
    if (stanza.retried && error !== undefined) {
      stanza.retried = false;
      return;
    }
    device.waiting.delete(id);
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
    const refusal =
      contact === null
        ? '404'
        : outcome === 'refuse' || outcome === 'refuse_late'
          ? '479'
          : (this.#restriction(device, contact) ?? readTokenRefusal(device, contact, node));
    if (contact === null || refusal !== null) {
      const error = refusal ?? '404';
      this.#journal.add({ type: 'refused', device: device.phone.number, contact: to, id, error });
      const refused = { ...ack, attrs: { ...ack.attrs, error } };
      if (outcome === 'refuse_late') device.lateRefusal = refused;
      else device.connection?.send(refused);
      return;
    }
    const readable = await this.#open(device, contact, node);
    if (outcome === 'lose') return;
    device.connection?.send(ack);
    if (contact === device.phone) return;
    if (readable) this.#sendReceipt(device, { tag: 'receipt', attrs: { id, from: to, t: seconds() } });
    else this.requestAgain(device, contact, id);
  }

  #restriction({ phone }: LinkedDevice, contact: Phone): string | null {
    const restricted = phone.restrictedUntil !== null && phone.restrictedUntil > new Date();
    return restricted && contact !== phone && !phone.writers.has(contact.number) ? '463' : null;
  }

  /** Returns false when the contact cannot decrypt the message. */
  async #open(device: LinkedDevice, contact: Phone, node: BinaryNode): Promise<boolean> {
    const id = node.attrs['id'] ?? '';
    const direct = getBinaryNodeChild(node, 'enc');
    const targets = getBinaryNodeChildren(getBinaryNodeChild(node, 'participants'), 'to').map((to) => ({
      phone: this.#accounts.findByJid(to.attrs['jid'] ?? ''),
      enc: getBinaryNodeChild(to, 'enc'),
    }));
    if (direct !== undefined) targets.push({ phone: contact, enc: direct });
    let readable = false;
    for (const { phone, enc } of targets) {
      if (phone === null || !(enc?.content instanceof Uint8Array)) continue;
      const type = enc.attrs['type'] === 'pkmsg' ? 'pkmsg' : 'msg';
      try {
        const message = await phone.signal.decrypt(device.lid, { type, ciphertext: enc.content });
        if (phone !== contact) continue;
        readable = true;
        if (phone === device.phone) await this.#answerDevice(device, message);
        else await this.#record(device, contact, { id, message, envelope: type });
      } catch {
        const [from, to] = [device.phone.number, phone.number];
        this.#journal.add({ type: 'undecryptable', device: from, contact: to, id });
      }
    }
    return readable;
  }

  async #record(
    device: LinkedDevice,
    contact: Phone,
    { id, message, envelope }: { id: string; message: proto.IMessage; envelope: Envelope['type'] },
  ): Promise<void> {
    const from = device.phone.number;
    const bytes = await countMediaBytes(message, this.#media);
    const content = { ...describeMessage(message), bytes };
    const [to, text] = [contact.number, content.text ?? ''];
    this.#journal.add({ type: 'sent', at: performance.now(), device: from, contact: to, id, text, envelope });
    this.#journal.received(contact.number, from, { id, ...content });
    const chat = `${contact.number} ${from}`;
    this.#unread.set(chat, [...(this.#unread.get(chat) ?? []), id]);
  }

  /** The phone answers a request of its device, unless it is offline. */
  async #answerDevice(device: LinkedDevice, message: proto.IMessage): Promise<void> {
    const { phone } = device;
    const answer = answerPhoneRequest(phone, message, (id) => {
      this.#journal.add({ type: 'phone_request', device: phone.number, id });
      const written = this.#written.get(id);
      return phone.hidden.get(id) ?? written ?? null;
    });
    if (answer !== null && !phone.offline)
      await this.#deliver(device, phone, newId(), answer, { category: 'peer' });
  }

  /** The phone uploads the media of a message again, unless it is offline. */
  requestUpload(device: LinkedDevice, request: BinaryNode): void {
    const { id = '' } = request.attrs;
    this.#journal.add({ type: 'upload_request', device: device.phone.number, id });
    const written = this.#written.get(id);
    if (written === undefined || device.phone.offline) return;
    const { phone } = device;
    const { from, to, message } = written;
    const chat = { chat: from === phone ? to : from, message };
    const answer = answerUploadRequest(phone, request, chat, this.#media.uploadAgain);
    if (answer !== null) device.connection?.send(answer);
  }

  /** The contact asks for a message, from the second request on with new keys. */
  requestAgain(device: LinkedDevice, contact: Phone, id: string): void {
    const from = contact.address;
    const count = (this.#retries.get(id) ?? 0) + 1;
    this.#retries.set(id, count);
    if (count > maxRetries) return;
    const { registrationId } = contact.signal.creds;
    const attrs = { count: String(count), id, t: seconds(), v: '1' };
    this.#sendReceipt(device, {
      tag: 'receipt',
      attrs: { id, from, type: 'retry', t: seconds() },
      content: [
        { tag: 'retry', attrs },
        { tag: 'registration', attrs: {}, content: encodeBigEndian(registrationId) },
      ],
    });
  }

  /** The phone encrypts a message again for a device that could not decrypt it. */
  async #writeAgain(device: LinkedDevice, receipt: BinaryNode): Promise<void> {
    const { id = '' } = receipt.attrs;
    this.#journal.add({ type: 'retry', device: device.phone.number, id });
    const written = this.#written.get(id);
    const count = getBinaryNodeChild(receipt, 'retry')?.attrs['count'] ?? '1';
    if (written === undefined || Number(count) > maxRetries) return;
    const { from, to, message } = written;
    const bundle: Bundle = readBundle(receipt) ?? device.takeBundle();
    await from.signal.begin(device.lid, bundle);
    if (from === device.phone) await this.#deliverOwn(device, id, { from, to, message });
    else await this.#deliver(device, from, id, message, from.alternative('sender'));
    const stanza = device.waiting.get(id);
    if (stanza !== undefined) stanza.retried = true;
  }

  /** A reply marks earlier messages as read. */
  #readReceipt(device: LinkedDevice, contact: Phone): void {
    const chat = `${contact.number} ${device.phone.number}`;
    const [id, ...more] = this.#unread.get(chat) ?? [];
    this.#unread.delete(chat);
    if (id === undefined) return;
    this.receipt(device, contact, [id, ...more], 'read');
  }

  receipt(device: LinkedDevice, contact: Phone, [id = '', ...more]: string[], type: string): void {
    const items = more.map((each) => ({ tag: 'item', attrs: { id: each } }));
    this.#sendReceipt(device, {
      tag: 'receipt',
      attrs: { id, from: contact.address, ...(type && { type }), t: seconds() },
      content: [{ tag: 'list', attrs: {}, content: items }],
    });
  }

  /** Each connection receives it again until the device confirms it. */
  #sendReceipt(device: LinkedDevice, receipt: BinaryNode): void {
    device.receipts.set(receiptKey(receipt), receipt);
    if (device.ready) device.connection?.send(receipt);
  }

  confirmedReceipt(device: LinkedDevice, ack: BinaryNode): void {
    device.receipts.delete(receiptKey(ack));
    const { id = '', type: state = 'delivered' } = ack.attrs;
    this.#journal.add({ type: 'receipt_confirmed', device: device.phone.number, id, state });
  }

  #deliverOwn(device: LinkedDevice, id: string, { from, to, message }: Writing): Promise<void> {
    return this.#deliver(
      device,
      from,
      id,
      { deviceSentMessage: { destinationJid: to.address, message } },
      { from: from.address, recipient: to.address, ...to.alternative('peer_recipient') },
    );
  }

  #addresses(from: Phone, id: string): Record<string, string> {
    const mode = from.addressing.startsWith('pn') ? 'pn' : 'lid';
    const notify = from.name === null ? {} : { notify: from.name };
    return { id, from: from.address, type: 'text', addressing_mode: mode, t: seconds(), ...notify };
  }

  async #deliver(
    device: LinkedDevice,
    from: Phone,
    id: string,
    message: proto.IMessage,
    attrs: Record<string, string>,
  ): Promise<void> {
    const { type, ciphertext } = await from.signal.encrypt(device.lid, message, () => device.takeBundle());
    this.#queue(device, {
      tag: 'message',
      attrs: { ...this.#addresses(from, id), ...attrs },
      content: [{ tag: 'enc', attrs: { v: '2', type }, content: ciphertext }],
    });
  }

  #queue(device: LinkedDevice, node: BinaryNode): void {
    device.waiting.set(node.attrs['id'] ?? '', { node, retried: false });
    if (device.ready) device.connection?.send(node);
  }
}

/** The code of an error if the message lacks the contact's token. */
function readTokenRefusal({ phone }: LinkedDevice, contact: Phone, node: BinaryNode): string | null {
  const needed = phone.tokens.get(contact.number);
  const token = getBinaryNodeChild(node, 'tctoken')?.content;
  return needed === undefined || (token instanceof Uint8Array && needed.equals(token)) ? null : '463';
}

const receiptKey = ({ attrs }: BinaryNode): string => `${attrs['id']} ${attrs['type'] ?? ''}`;

export const newId = (): string => randomBytes(10).toString('hex').toUpperCase();
