/** A session is one connection of a device. It comes up at most once and goes down exactly once. */
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
  contacts: ContactDirectory;
  events: SessionEvents;
  /** Only this phone may be linked, with a code that its owner enters. Null for QR codes. See `networkCapabilities`. */
  pairingPhoneNumber?: string | null;
  /** Returns the content of a message that the device sent, or null. A contact may request it again. */
  findSent(networkId: string): Promise<MessageContent | null>;
}

/**
 * Knows which contact an address belongs to. A contact may have several addresses: its number, an alias of the number, an id
 * that the network assigned. Writes throw `NotOwner`.
 */
export interface ContactDirectory {
  /**
   * Records that the addresses belong to one contact and returns its number, or `lid:` and its id while the number is unknown.
   * An address that is already known decides the contact.
   */
  identify(contact: { number: string | null; addresses: readonly string[] }): Promise<string>;
  /** Returns the address for messages to the contact, or null if none is known. */
  findAddress(contact: string): Promise<string | null>;
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
  /** The network suspends the account for a time and keeps the link. */
  | 'suspended'
  /** The network refuses this version of the client. */
  | 'client_outdated'
  /** The network refuses the connection for another reason, which may pass. */
  | 'unavailable'
  | 'qr_timeout'
  /** The network refuses the stored credentials. */
  | 'credentials_invalid'
  /** The network gives no pairing code. */
  | 'code_refused'
  /** The network has given too many pairing codes. */
  | 'too_many_codes'
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
  /** Replaces the previous code. `text` is a pairing code if the session has a `pairingPhoneNumber`. */
  qr(code: { text: string; expiresAt: Date }): Promise<void>;
  /** A phone used the code. No credential is stored yet. Rejecting makes the session go down with `pairing_refused`. */
  paired(account: { phoneNumber: string }): Promise<void>;
  up(account: { phoneNumber: string | null }): Promise<void>;
  /** `until` is the end of a suspension, if known. */
  down(reason: DownReason, until?: Date): Promise<void>;
  /** The adapter confirms the message only after this resolves. Otherwise the network redelivers it. */
  inbound(message: InboundMessage): Promise<void>;
  /** The network refuses new chats of the account until then, or no longer if null. */
  restricted(restriction: NewChatRestriction | null): Promise<void>;
  /** How the network rates the account, and its limit. */
  account(state: AccountState): Promise<void>;
  /** All templates that the network has for the device. */
  templates(all: readonly NetworkTemplate[]): Promise<void>;
  /**
   * The adapter confirms the receipt only after this resolves. `failed`: the network refused the message after `send` had
   * rejected with `SendOutcomeUnknown` or resolved.
   */
  receipt(receipt: Receipt): Promise<void>;
}

export interface Receipt {
  /** Ours, or the one that `send` returned. */
  networkId: string;
  state: 'sent' | 'delivered' | 'read' | 'failed';
  /** The network's own id, which `send` may not have learned. */
  externalId?: string;
  /** Why a message failed, with the network's number of the error. */
  failure?: { reason: RefusalReason; code: number | null };
  /** What the network charges for the message. */
  pricing?: { category: string; billable: boolean };
}

export interface AccountState {
  /** Null: the network has not rated it. */
  quality: 'high' | 'medium' | 'low' | null;
  /** New chats in 24 hours. Null: no limit, or an unknown one. */
  messagingLimit: number | null;
}

/** A text that a network approves before it is sent. */
export interface NetworkTemplate {
  externalId: string;
  name: string;
  language: string;
  category: string;
  state: 'pending' | 'approved' | 'rejected' | 'paused' | 'disabled';
  /** Why the network rejected it. */
  reason: string | null;
  body: string;
  /** Of the body. Null: it has other variables, which cannot be filled. */
  variables: number | null;
}

export interface NewChatRestriction {
  until: Date;
  /** `warm_up`: the adapter limits the new chats of a device that was linked recently. */
  reason: 'network_refused' | 'warm_up';
}

export type MessageContent =
  | { kind: 'text'; text: string }
  | { kind: 'image'; mimeType: string; bytes: Uint8Array; caption: string }
  | { kind: 'voice'; mimeType: string; bytes: Uint8Array; seconds: number; waveform: Uint8Array }
  | { kind: 'document'; mimeType: string; bytes: Uint8Array; fileName: string; caption: string };

export interface InboundMessage {
  /** Unique only together with the device, the chat and the sender. */
  networkId: string;
  /** International format with `+`, or a scheme and an id of the network if the number is unknown: `lid:`, `bsuid:`, `tg:`, `web:`. */
  contactNumber: string;
  /** As the contact calls itself, if the network says so. Nobody checks it. */
  contactName?: string;
  /** Written on the linked phone. */
  fromMe: boolean;
  /** The phone may have an app that greets contacts by itself. */
  mayBeAutomatic?: boolean;
  sentAt: Date;
  content: MessageContent;
  /** The structure of content that `content` only describes. */
  details?: MessageDetails;
}

export const messageDetailTypes = [
  'album',
  'audio',
  'business_message',
  'button_reply',
  'call',
  'contacts',
  'deletion',
  'edit',
  'event',
  'event_reply',
  'flow_reply',
  'group_invite',
  'list_reply',
  'live_location',
  'location',
  'order',
  'payment',
  'pin',
  'poll',
  'poll_vote',
  'product',
  'reaction',
  'sticker',
  'template_reply',
  'unsupported',
  'video',
  'view_once',
] as const;

type MessageDetailType = (typeof messageDetailTypes)[number];

export interface MessageItem {
  name: string;
  /** The seller's id of the product. */
  id?: string;
  quantity?: number;
  /** The price of one, in units of `currency`. */
  amount?: number;
  currency?: string;
}

export interface MessageDetails {
  /** Absent if only `replyTo` is known. */
  type?: MessageDetailType;
  /** The network's id of the message that a reaction, an edit, a deletion or a vote is about. */
  about?: string;
  /** The network's id of the quoted message. */
  replyTo?: string;
  /** What the quoted message says according to the sender's app. */
  quoted?: { kind: MessageContent['kind']; text: string };
  latitude?: number;
  longitude?: number;
  name?: string;
  address?: string;
  contacts?: { name: string; vcard: string }[];
  question?: string;
  /** Of a poll, or those that a vote chose. */
  options?: string[];
  /** Of a quiz: the right option. */
  correct?: string;
  /** The products of an order, or the product. */
  items?: MessageItem[];
  /** The network's id of an order. */
  orderId?: string;
  itemCount?: number;
  /** The total of an order or a payment, in units of `currency`. */
  amount?: number;
  currency?: string;
  /** The fields of a form that the contact filled in. */
  answers?: { name: string; value: string }[];
  startsAt?: string;
  video?: boolean;
  /** The network's name of content that Parley cannot show. */
  contentType?: string;
  /** The app of the business sent it, such as a greeting. */
  automatic?: true;
  /** Empty when the reaction was removed. */
  emoji?: string;
  /** The sender's id of the chosen button or row. */
  choice?: string;
  /** Why there are no bytes. */
  missingMedia?: 'too_large' | 'unavailable';
}

/** Content that informs the bot but does not ask for an answer. */
const quietTypes = ['album', 'call', 'deletion', 'event_reply', 'pin', 'poll_vote', 'reaction'] as const;

export const needsNoAnswer = ({ details }: Pick<InboundMessage, 'details'>): boolean =>
  quietTypes.some((type) => type === details?.type);

/** A person who sends only such content has not taken over the conversation. */
export const wordlessTypes = [...quietTypes, 'edit', 'sticker', 'unsupported'] as const;

/** A text that the network has approved, with the values of its variables. */
export interface MessageTemplate {
  name: string;
  language: string;
  parameters: readonly string[];
}

/** Options that the contact chooses from. */
export interface MessageChoices {
  options: readonly { id?: string; title: string; description?: string }[];
  /** Opens the list, if they are a list. */
  button?: string;
}

export interface OutboundMessage {
  /** Stable over retries, so that the network stores a repeated send once. */
  networkId: string;
  to: string;
  content: MessageContent;
  /** The network gets it instead of the content. */
  template?: MessageTemplate;
  /** Only on networks with buttons. */
  choices?: MessageChoices;
  /** The recipient wrote to this device. Known while the account is restricted. */
  toKnownContact?: boolean;
}

/** As the network's adapter or routes stored it. */
export interface ReceivedEvent {
  payload: object;
  bytes: Uint8Array | null;
}

export interface NetworkSession {
  /**
   * Returns the network's own id of the message, if it does not take ours. Rejects with `SendRefused`, with `SendPostponed`, or with
   * `SendOutcomeUnknown` if the connection broke or `signal` aborted.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: adapters that send our id resolve without a value
  send(message: OutboundMessage, signal: AbortSignal): Promise<string | void>;
  /**
   * Handles an event that the network pushed and the inbox stored. Resolves after its handler. Called in the order of the events, and
   * again for an event that was interrupted. Absent: the network pushes nothing.
   */
  receive?(event: ReceivedEvent): Promise<void>;
  /** Unlinks the device, then goes down with `closed`. Rejects unless the network confirms. */
  logout(): Promise<void>;
  /** Keeps the link. Idempotent. */
  close(): Promise<void>;
}

/** `device_restricted`: only the account's restriction of new chats prevents the message. */
export type RefusalReason =
  | 'recipient_unknown'
  | 'network_refused'
  | 'device_restricted'
  /** The contact has not written within 24 hours. Only a template may be sent. */
  | 'window_closed'
  /** The template does not exist, is paused, or does not fit its parameters. */
  | 'template_refused';

export class SendRefused extends Error {
  override readonly name = 'SendRefused';
  readonly reason: RefusalReason;
  /** The network's number of the error. */
  readonly code: number | null;
  constructor(reason: RefusalReason, code: number | null = null) {
    super(`the network refused the message: ${reason}${code === null ? '' : `, error ${code}`}`);
    this.reason = reason;
    this.code = code;
  }
}

/** The network did not take the message and would take it later. */
export class SendPostponed extends Error {
  override readonly name = 'SendPostponed';
  readonly seconds: number;
  constructor(seconds: number) {
    super(`the network takes the message later, after about ${seconds} s`);
    this.seconds = seconds;
  }
}

export type SendError = SendRefused | SendPostponed | SendOutcomeUnknown;

export class SendOutcomeUnknown extends Error {
  override readonly name = 'SendOutcomeUnknown';
  constructor(cause?: unknown) {
    super('the connection ended before the network answered', { cause });
  }
}
