import { createHash, randomBytes } from 'node:crypto';

export interface Account {
  phone_number_id: string;
  waba_id: string;
  display_phone_number: string;
  access_token: string;
  app_secret: string;
  /** Where the app receives webhooks, once the challenge was answered. */
  webhook_url: string | null;
  subscribed: boolean;
  quality_rating: 'GREEN' | 'YELLOW' | 'RED';
  messaging_limit: string;
  /** The number is also on a phone. */
  is_on_biz_app: boolean;
}

export interface Template {
  id: string;
  name: string;
  language: string;
  category: string;
  status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'PAUSED';
  rejected_reason: string;
  components: { type: string; text?: string; format?: string }[];
}

/** A person on WhatsApp, as one business sees it. */
export interface Person {
  /** Digits. Null: the person has a user name, and the business does not see the number. */
  wa_id: string | null;
  user_id: string;
  name: string;
}

/** A message that the network took. */
export interface SentMessage {
  id: string;
  phone_number_id: string;
  to: string;
  type: string;
  body: Record<string, unknown>;
}

/** What the next calls that send a message get instead. */
export type Fault =
  | { kind: 'error'; status: number; code: number; message?: string; retry_after?: number }
  /** Takes the message, then ends the connection without a response. */
  | { kind: 'lose_response' }
  /** Pushes the status `sent` before it responds. */
  | { kind: 'status_first' }
  /** Takes the message, and reports later that it could not be delivered. */
  | { kind: 'fail_later'; code: number };

export interface Medium {
  bytes: Buffer;
  mime_type: string;
  owner: string;
}

/** Everything that the fake remembers. Its clock can be moved. */
export class FakeState {
  readonly accounts = new Map<string, Account>();
  readonly templates = new Map<string, Template[]>();
  readonly media = new Map<string, Medium>();
  /** Addresses of media, with the time until which they are valid. */
  readonly addresses = new Map<string, { medium: string; until: number }>();
  readonly sent: SentMessage[] = [];
  readonly faults: Fault[] = [];
  /** What the next calls that read a medium get instead. */
  readonly mediaFaults: { status: number; code: number }[] = [];
  /** When a person last wrote to a number. */
  readonly wrote = new Map<string, number>();
  readonly #buckets = new Map<string, { level: number; at: number }>();
  readonly expiredTokens = new Set<string>();
  #movedMs = 0;

  now(): number {
    return Date.now() + this.#movedMs;
  }

  moveClock(ms: number): void {
    this.#movedMs += ms;
  }

  seconds(): string {
    return String(Math.floor(this.now() / 1000));
  }

  findByToken(token: string): Account | undefined {
    if (this.expiredTokens.has(token)) return undefined;
    return [...this.accounts.values()].find(({ access_token: own }) => own === token);
  }

  isWindowOpen(phoneNumberId: string, person: string): boolean {
    const at = this.wrote.get(`${phoneNumberId}/${person}`);
    return at !== undefined && this.now() - at < 86_400_000;
  }

  /** Returns false once more than `burst` calls came without the time of refilling. */
  take(name: string, burst: number, perSecond: number): boolean {
    const bucket = this.#buckets.get(name) ?? { level: burst, at: this.now() };
    const level = Math.min(burst, bucket.level + ((this.now() - bucket.at) / 1000) * perSecond);
    if (level < 1) return false;
    this.#buckets.set(name, { level: level - 1, at: this.now() });
    return true;
  }

  storeMedium(medium: Medium): string {
    const id = String(BigInt(`0x${randomBytes(7).toString('hex')}`));
    this.media.set(id, medium);
    return id;
  }

  /** The address is valid for five minutes, like that of the network. */
  addressOf(medium: string): string {
    const name = randomBytes(12).toString('hex');
    this.addresses.set(name, { medium, until: this.now() + 300_000 });
    return name;
  }
}

export const newWamid = (): string => `wamid.${randomBytes(24).toString('base64')}`;

/** The id that every business sees differently. */
export const userIdFor = (waId: string): string =>
  `US.${BigInt(`0x${createHash('sha256').update(waId).digest('hex').slice(0, 15)}`)}`;

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
