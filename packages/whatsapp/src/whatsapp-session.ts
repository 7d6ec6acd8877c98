import {
  type DownReason,
  type InboundMessage,
  type NetworkSession,
  NotOwner,
  type OutboundMessage,
  SendOutcomeUnknown,
  type SessionOptions,
} from '@parley/server/messaging-network';
import { type BinaryNode, configureSuccessfulPairing, type WASocket, type WAVersion } from 'baileys';
import { fetchProducts } from './business-content.ts';
import { Calls } from './calls.ts';
import { ChatTimers, withTimer } from './chat-timers.ts';
import { openClientSocket, terminate, toBrowser, unlink } from './client-socket.ts';
import { ContactCache } from './contact-cache.ts';
import { type ReadContent, text } from './content-text.ts';
import type { Disconnect } from './disconnect-reason.ts';
import { EncryptionLock } from './encryption-lock.ts';
import { libraryLogger, type SessionLogger } from './library-logger.ts';
import { CodeRefused, type LinkCode, LinkCodes, readPhoneNumber } from './link-codes.ts';
import { MediaDownloads } from './media-downloads.ts';
import { MessageReceiver } from './message-receiver.ts';
import { MessageSender } from './message-sender.ts';
import { NewChats } from './new-chats.ts';
import { toProtobuf } from './outbound-content.ts';
import { isViewOnce, Placeholders } from './placeholders.ts';
import { readReceipts } from './receipts.ts';
import { subscribeToSocket } from './socket-events.ts';
import { StoredState } from './stored-state.ts';

export interface SessionSettings {
  url: string;
  version: WAVersion;
  logger: SessionLogger;
  /** Null for the library's. */
  clientName: string | null;
  readsGroups: boolean;
  showsTyping: boolean;
  sendsReadReceipts: boolean;
  newChatsPerDay: readonly number[];
  maxMediaBytes: number;
  /** Time for the download of a file. Its chat waits meanwhile. */
  mediaDeadlineMs: number;
  isFake: boolean;
  /** The network refused the version. */
  outdated(): void;
}

const viewOnce = text('[view-once message]', { type: 'view_once' });

interface Opened {
  state: StoredState;
  receiver: MessageReceiver;
  placeholders: Placeholders;
  contacts: ContactCache;
  timers: ChatTimers;
  newChats: NewChats;
}

/** Present once the state is read. After the pairing a second socket replaces the first one. */
interface Connected extends Opened {
  socket: WASocket;
  sender: MessageSender;
}

export class WhatsappSession implements NetworkSession {
  readonly #options: SessionOptions;
  readonly #settings: SessionSettings;
  readonly #ended: () => void;
  readonly #lock = new EncryptionLock();
  readonly #calls = new Calls();
  readonly #downloads: MediaDownloads;
  #connected: Connected | null = null;
  #events: Promise<void> = Promise.resolve();
  /** After a pairing the network requests a new connection, which belongs to the same session. */
  #justLinked = false;
  #up = false;
  readonly #cameUp = Promise.withResolvers<void>();
  #over = false;
  #loggingOut: PromiseWithResolvers<void> | null = null;

  constructor(options: SessionOptions, settings: SessionSettings, ended: () => void) {
    this.#options = options;
    this.#settings = settings;
    this.#ended = ended;
    this.#downloads = new MediaDownloads({
      deadlineMs: settings.mediaDeadlineMs,
      maxBytes: settings.maxMediaBytes,
      isFake: settings.isFake,
      warn: (why) => this.#warn(why),
      waitForSocket: () => this.#waitForSocket(),
    });
  }

  async start(): Promise<void> {
    try {
      const { store, events } = this.#options;
      const state = await StoredState.open(store, (error) => this.#failed(error));
      const placeholders = await Placeholders.open(state, (why) => this.#warn(why));
      const contacts = new ContactCache(this.#options.contacts);
      const timers = new ChatTimers(state);
      const receiver = await MessageReceiver.start({
        state,
        lock: this.#lock,
        placeholders,
        timers,
        fetch: (message, media, receivedAt) => this.#downloads.fetch(message, media, receivedAt),
        fetchProducts: (message, order) =>
          fetchProducts(message, order, {
            warn: (why) => this.#warn(why),
            waitForSocket: () => this.#waitForSocket(),
          }),
        identify: (contact) => this.#orEnd(contacts.identify(contact)),
        findContact: (address) =>
          this.#orEnd(this.#options.contacts.identify({ number: null, addresses: [address] })),
        deliver: async (message) => {
          // Queued messages arrive before the library reports the connection.
          await this.#cameUp.promise;
          // Before the handler, which may answer at once.
          if (!message.fromMe) this.#connected?.newChats.wrote(message.contactNumber);
          await this.#enqueue(() => events.inbound(message));
          if (!message.fromMe) this.#stored(message, contacts);
        },
      });
      const newChats = await NewChats.open({
        state,
        perDay: this.#settings.newChatsPerDay,
        fetchEnd: () => this.#fetchRestriction(),
        report: (restriction) => this.#enqueue(() => events.restricted(restriction)),
      });
      this.#connect({ state, receiver, placeholders, contacts, timers, newChats });
    } catch (error) {
      this.#failed(error);
    }
  }

  send(message: OutboundMessage, signal: AbortSignal): Promise<void> {
    if (!this.#up || this.#over || signal.aborted || this.#connected === null)
      return Promise.reject(new SendOutcomeUnknown(signal.reason));
    return this.#connected.sender.send(message, signal);
  }

  logout(): Promise<void> {
    if (!this.#up || this.#over || this.#connected === null)
      return Promise.reject(new Error('the device is not connected'));
    if (this.#loggingOut === null) {
      this.#loggingOut = Promise.withResolvers();
      void this.#unlink(this.#connected, this.#loggingOut);
    }
    return this.#loggingOut.promise;
  }

  async close(): Promise<void> {
    this.#end('closed');
  }

  async settled(): Promise<void> {
    await this.#events;
  }

  #connect(opened: Opened): void {
    if (this.#over) return;
    const { state, receiver, placeholders, contacts, timers, newChats } = opened;
    const { url, version, logger, clientName, readsGroups, showsTyping } = this.#settings;
    const { deviceId, events, findSent, pairingPhoneNumber = null } = this.#options;
    const browser = toBrowser(clientName);
    const codes = new LinkCodes(state.creds, pairingPhoneNumber, browser);
    const socket = openClientSocket({
      url,
      version,
      logger: libraryLogger(logger, deviceId),
      state,
      receiver,
      lock: this.#lock,
      browser,
      readsGroups,
      findSent: async ({ id, chat }) => {
        const content = await findSent(id);
        if (content === null) return undefined;
        const contact = await contacts.identify({ number: null, addresses: [chat] });
        return withTimer(await toProtobuf(content, socket), await timers.find(contact));
      },
    });
    const connected: Connected = {
      ...opened,
      socket,
      sender: new MessageSender({
        socket,
        keys: state.keys,
        lock: this.#lock,
        contacts,
        timers,
        newChats,
        showsTyping,
        refusedLate: (networkId) => this.#attempt(() => events.receipt({ networkId, state: 'failed' })),
      }),
    };
    this.#connected = connected;
    const receivePlain = (stanza: BinaryNode, read: ReadContent) =>
      receiver.receivePlain(stanza, read, (lid) => socket.signalRepository.lidMapping.getPNForLID(lid));
    subscribeToSocket(socket, this.#lock, {
      code: (qr) => this.#showCode(() => codes.next(qr, socket)),
      secretRetired: () => this.#showCode(() => (state.linked ? null : codes.renew())),
      scanned: (stanza, confirm) => this.#acceptScan(opened, stanza, confirm),
      open: () => void this.#comeUp(connected),
      // A failed write ends the session.
      credsChanged: () => void (state.linked && state.saveCreds().catch(() => undefined)),
      message: (stanza) => {
        receiver.registerStanza(stanza);
        // A failed write ends the session, and the network redelivers the placeholder.
        return isViewOnce(stanza) ? receivePlain(stanza, viewOnce) : placeholders.register(stanza);
      },
      call: async (stanza) => {
        const missed = this.#calls.read(stanza);
        if (missed !== null) await receivePlain(missed.stanza, missed.read);
      },
      acknowledged: (stanza) => connected.sender.acknowledged(stanza),
      receipt: async (stanza) => {
        const receipts = readReceipts(stanza, state.creds.me ?? { id: '' });
        if (receipts.length > 0)
          await this.#enqueue(async () => void (await Promise.all(receipts.map(events.receipt))));
      },
      // A failed write ends the session.
      restricted: (until) => void newChats.update(until).catch(() => undefined),
      closed: (reason) => this.#closed(connected, reason),
      unreachable: (why) => {
        if (!this.#over) logger.warn({ deviceId, why }, 'the network could not be reached');
      },
    });
  }

  #warn(why: string): void {
    const { deviceId } = this.#options;
    this.#settings.logger.warn({ deviceId }, why);
  }

  async #waitForSocket(): Promise<WASocket> {
    await this.#cameUp.promise;
    if (this.#over || this.#connected === null) throw new Error('the session has ended');
    return this.#connected.socket;
  }

  /** Ends the session if the work fails. Otherwise the library would reject the message. */
  #orEnd<Result>(work: Promise<Result>): Promise<Result> {
    return work.catch((error: unknown) => {
      this.#failed(error);
      throw error;
    });
  }

  #stored({ contactNumber, networkId: id }: InboundMessage, contacts: ContactCache): void {
    const connected = this.#connected;
    if (connected === null || !this.#settings.sendsReadReceipts) return;
    const report = async () => {
      const remoteJid = await contacts.findAddress(contactNumber);
      if (remoteJid !== null) await connected.socket.readMessages([{ remoteJid, id, fromMe: false }]);
    };
    // Nothing depends on the receipt.
    report().catch(() => undefined);
  }

  async #fetchRestriction(): Promise<Date | 'unknown' | null> {
    const timelock = await this.#connected?.socket.fetchAccountReachoutTimelock();
    return timelock?.isActive === false ? null : (timelock?.timeEnforcementEnds ?? 'unknown');
  }

  #showCode(read: () => Promise<LinkCode | null> | LinkCode | null): void {
    this.#attempt(async () => {
      try {
        const code = await read();
        if (code !== null) await this.#options.events.qr(code);
      } catch (error) {
        if (!(error instanceof CodeRefused)) throw error;
        this.#warn(error.message);
        this.#end(error.reason);
      }
    });
  }

  /** Accepts the phone, stores the credentials, then confirms the link to the network. */
  #acceptScan({ state, newChats }: Opened, stanza: BinaryNode, confirm: () => void): void {
    this.#attempt(async () => {
      const { creds } = configureSuccessfulPairing(stanza, state.creds);
      const phoneNumber = readPhoneNumber(creds.me?.id);
      try {
        await this.#options.events.paired({ phoneNumber });
      } catch {
        // The handler refuses the pairing. An unconfirmed link has no effect.
        this.#end('pairing_refused');
        return;
      }
      await state.saveCreds(creds);
      await newChats.beginWarmUp();
      this.#justLinked = true;
      confirm();
    });
  }

  /** Waits until the library has updated its own keys. */
  async #comeUp({ state, placeholders, socket }: Connected): Promise<void> {
    await state.waitUntilIdle();
    this.#attempt(async () => {
      this.#up = true;
      await this.#options.events.up({ phoneNumber: readPhoneNumber(state.creds.me?.id) });
      this.#cameUp.resolve();
      placeholders.start(socket, this.#lock);
    });
  }

  async #unlink({ socket, state }: Connected, confirmed: PromiseWithResolvers<void>): Promise<void> {
    try {
      await unlink(socket, state.creds.me?.id ?? '');
      confirmed.resolve();
      this.#end('closed', { unlinked: true });
    } catch (error) {
      this.#warn(`the logout was not confirmed: ${String(error)}`);
      confirmed.reject(error);
      this.#loggingOut = null;
    }
  }

  #closed(connected: Connected, why: Disconnect | 'no_scan' | null): void {
    if (this.#over || this.#connected?.socket !== connected.socket) return;
    if (why === 'no_scan') {
      this.#end('qr_timeout');
      return;
    }
    const { reason, until } = why ?? { reason: 'connection_lost' };
    if (reason === 'restart_required' && this.#justLinked) {
      this.#justLinked = false;
      this.#connect(connected);
    } else if (reason === 'logged_out' && this.#loggingOut !== null) {
      this.#loggingOut.resolve();
      this.#end('closed', { unlinked: true });
    } else {
      if (reason === 'client_outdated') this.#settings.outdated();
      this.#end(reason, { until, unlinked: reason === 'logged_out' || reason === 'banned' });
    }
  }

  /** A failed event closes the connection unconfirmed, and the network redelivers it to the next session. */
  #attempt(task: () => Promise<void>): void {
    this.#enqueue(task).catch(() => undefined);
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const run = this.#events.then(async () => {
      if (this.#over) throw new Error('the session has ended');
      try {
        await task();
      } catch (error) {
        this.#failed(error);
        throw error;
      }
    });
    this.#events = run.catch(() => undefined);
    return run;
  }

  #failed(error: unknown): void {
    if (this.#over) return;
    if (!(error instanceof NotOwner)) {
      const { deviceId } = this.#options;
      this.#settings.logger.error({ err: error, deviceId }, 'closed a session because an event failed');
    }
    this.#end(error instanceof NotOwner ? 'closed' : 'connection_lost');
  }

  /** `unlinked`: the pool will delete the stored state. */
  #end(
    reason: DownReason,
    { until, unlinked = false }: { until?: Date | undefined; unlinked?: boolean } = {},
  ): void {
    if (this.#over) return;
    this.#over = true;
    this.#downloads.end();
    const connected = this.#connected;
    if (connected !== null) terminate(connected.socket);
    connected?.placeholders.stop();
    connected?.sender.end(reason);
    this.#cameUp.resolve();
    this.#loggingOut?.reject(
      new Error(`the session went down before the network confirmed the logout: ${reason}`),
    );
    this.#events = this.#events.then(async () => {
      await connected?.state.close();
      try {
        if (unlinked) await connected?.receiver.deliverRest(this.#options.events.inbound);
      } catch (error) {
        this.#warn(`messages that waited for their media were lost: ${String(error)}`);
      }
      try {
        await this.#options.events.down(reason, until);
      } catch (error) {
        this.#warn(`the \`down\` handler of a session failed: ${String(error)}`);
      }
      this.#ended();
    });
  }
}
