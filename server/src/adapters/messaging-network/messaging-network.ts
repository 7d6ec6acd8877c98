/**
 * The port to a messaging network. A session is one connection of one linked device: it comes up at most once and goes
 * down exactly once; reconnecting is the pool's business, which opens another session on the same stored credentials. A
 * network that wants a new connection to end a pairing has it from the same session.
 */
export interface MessagingNetwork {
  readonly name: string;
  /** The kinds of content that it sends. Anything else is refused with `network_refused`. */
  readonly supportedContent: ReadonlySet<MessageContent['kind']>;
  /** Starts connecting at once and answers without waiting for the network. Never rejects: failures arrive as `down`. */
  openSession(options: SessionOptions): NetworkSession;
  /** Releases what the adapter holds beside its sessions. Sessions still open go down with `closed`. */
  close(): Promise<void>;
}

export interface SessionOptions {
  deviceId: string;
  store: SessionStore;
  events: SessionEvents;
}

/** One stored piece of session state. A `null` value removes it. Values are opaque bytes to everyone but the adapter. */
export interface SessionEntry {
  kind: string;
  id: string;
  value: Uint8Array | null;
}

/**
 * Durable state of a device's session, written through a fence: a session whose owner lost the lease can write nothing.
 * `write` is atomic over its entries and rejects with `NotOwner` when fenced off; the adapter then closes its socket without answering
 * the network.
 */
export interface SessionStore {
  read(kind: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  write(entries: readonly SessionEntry[]): Promise<void>;
}

/** Why a session went down, and with it what the pool does next. */
export type DownReason =
  /** The connection broke: reconnect with backoff. */
  | 'connection_lost'
  /** The network asks for a new connection at once. */
  | 'restart_required'
  /** Unlinked from the phone: credentials are void. */
  | 'logged_out'
  /** Another connection took over the same credentials. */
  | 'replaced'
  /** The network refuses this account for good. */
  | 'banned'
  /** No code was scanned in time; only before pairing. */
  | 'qr_timeout'
  /** The pairing was refused by `paired` rejecting. */
  | 'pairing_refused'
  /** `close()` or `logout()` was called here. */
  | 'closed';

/**
 * What the store and the handlers throw once the session's owner is not the device's owner any more: an ordinary end,
 * which the adapter follows by going down with `closed`.
 */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
  constructor(deviceId: string) {
    super(`the device ${deviceId} is not owned any more`);
  }
}

/** Handlers are awaited one at a time and in order per session; receipts may be handled beside one another. */
export interface SessionEvents {
  /** A code to scan, replacing the one before it. */
  qr(code: { text: string; expiresAt: Date }): Promise<void>;
  /**
   * A phone scanned the code. Rejecting refuses the link: the adapter unlinks and goes down with `pairing_refused`.
   * Resolves before any credential is stored.
   */
  paired(account: { phoneNumber: string }): Promise<void>;
  /** Logged in and able to send and receive. */
  up(account: { phoneNumber: string }): Promise<void>;
  /** The last event of a session. */
  down(reason: DownReason): Promise<void>;
  /**
   * A message from a contact, or one that a person sent from the linked phone (`fromMe`). The network is told that it
   * was received only after this resolves; when it rejects, the network keeps the message and delivers it again.
   */
  inbound(message: InboundMessage): Promise<void>;
  /** The network's word on a message sent earlier. */
  receipt(receipt: { networkId: string; state: 'delivered' | 'read' | 'failed' }): Promise<void>;
}

export type MessageContent =
  | { kind: 'text'; text: string }
  | { kind: 'image'; mimeType: string; bytes: Uint8Array; caption: string }
  | { kind: 'voice'; mimeType: string; bytes: Uint8Array; seconds: number; waveform: Uint8Array }
  | { kind: 'document'; mimeType: string; bytes: Uint8Array; fileName: string; caption: string };

export interface InboundMessage {
  /** Unique only together with the device, the chat and the sender. */
  networkId: string;
  /** International format with `+`. */
  contactNumber: string;
  fromMe: boolean;
  sentAt: Date;
  content: MessageContent;
}

export interface OutboundMessage {
  /** Chosen by us and stable over retries, so that a repeated hand-off is one message to the network. */
  networkId: string;
  /** International format with `+`. */
  to: string;
  content: MessageContent;
}

export interface NetworkSession {
  /**
   * Resolves when the network acknowledged the message. Rejects with `SendRefused` when the network refused it for
   * certain, with `SendOutcomeUnknown` when the connection broke or `signal` aborted before the answer.
   */
  send(message: OutboundMessage, signal: AbortSignal): Promise<void>;
  /** Unlinks the device from the phone, then goes down with `closed`. Rejects when the network did not confirm. */
  logout(): Promise<void>;
  /** Drops the connection, keeps the link. Idempotent. */
  close(): Promise<void>;
}

export class SendRefused extends Error {
  override readonly name = 'SendRefused';
  readonly reason: 'recipient_unknown' | 'network_refused';
  constructor(reason: 'recipient_unknown' | 'network_refused') {
    super(`the network refused the message: ${reason}`);
    this.reason = reason;
  }
}

export class SendOutcomeUnknown extends Error {
  override readonly name = 'SendOutcomeUnknown';
  constructor(cause?: unknown) {
    super('the connection ended before the network answered', { cause });
  }
}
