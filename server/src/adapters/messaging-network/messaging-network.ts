/** A session is one connection of a linked device. It comes up at most once and goes down exactly once. */
export interface MessagingNetwork {
  readonly name: string;
  /** The adapter rejects other content with `network_refused`. */
  readonly supportedContent: ReadonlySet<MessageContent['kind']>;
  /** Starts to connect without waiting for the network. Never throws: failures arrive as `down`. */
  openSession(options: SessionOptions): NetworkSession;
  /** Open sessions go down with `closed`. */
  close(): Promise<void>;
}

export interface SessionOptions {
  deviceId: string;
  store: SessionStore;
  events: SessionEvents;
}

/** An entry of session state, opaque to the pool. A `null` value removes it. */
export interface SessionEntry {
  kind: string;
  id: string;
  value: Uint8Array | null;
}

/** `write` is atomic. It rejects with `NotOwner` after the pool lost the device; the adapter then sends nothing more. */
export interface SessionStore {
  read(kind: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  write(entries: readonly SessionEntry[]): Promise<void>;
}

export type DownReason =
  | 'connection_lost'
  | 'restart_required'
  /** The phone unlinked the device; the credentials are invalid. */
  | 'logged_out'
  /** Another connection uses the same credentials. */
  | 'replaced'
  | 'banned'
  | 'qr_timeout'
  /** The `paired` handler rejected. */
  | 'pairing_refused'
  /** `close()` or `logout()` was called here. */
  | 'closed';

/** Thrown by the store and the handlers when the device has another owner. The session then goes down with `closed`. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
  constructor(deviceId: string) {
    super(`this pool no longer owns the device ${deviceId}`);
  }
}

/** The adapter awaits the handlers of a session one at a time and in order, except that receipts may run concurrently. */
export interface SessionEvents {
  /** Replaces the previous code. */
  qr(code: { text: string; expiresAt: Date }): Promise<void>;
  /** A phone scanned the code. No credential is stored yet. Rejecting makes the session go down with `pairing_refused`. */
  paired(account: { phoneNumber: string }): Promise<void>;
  up(account: { phoneNumber: string }): Promise<void>;
  down(reason: DownReason): Promise<void>;
  /** The adapter confirms the message only after this resolves. Otherwise the network redelivers it. */
  inbound(message: InboundMessage): Promise<void>;
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
  /** Written on the linked phone. */
  fromMe: boolean;
  sentAt: Date;
  content: MessageContent;
}

export interface OutboundMessage {
  /** Stable over retries, so that the network stores a repeated send once. */
  networkId: string;
  to: string;
  content: MessageContent;
}

export interface NetworkSession {
  /** Rejects with `SendRefused`, or with `SendOutcomeUnknown` if the connection broke or `signal` aborted. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<void>;
  /** Unlinks the device, then goes down with `closed`. Rejects unless the network confirms. */
  logout(): Promise<void>;
  /** Keeps the link. Idempotent. */
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
