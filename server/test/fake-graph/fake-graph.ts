import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Account, Fault, Person, SentMessage, Template } from './state.ts';
import type { Delivery } from './webhooks.ts';

/** The members of `PUT /devices/{id}/credentials`. */
export interface NumberCredentials {
  phone_number_id: string;
  waba_id: string;
  access_token: string;
  app_secret: string;
}

/** The Graph API in another process. */
export interface FakeGraph {
  /** For `WHATSAPP_CLOUD_BASE_URL`. */
  url: string;
  /** Adds a business phone number with an app of its own, or with that of another number. */
  addNumber(displayNumber: string, app?: { app_secret: string }): Promise<NumberCredentials>;
  /** Enters the address of a webhook. Returns whether the receiver answered the challenge. */
  setWebhook(phone: string, url: string, verifyToken: string): Promise<boolean>;
  /** A person writes to the number. Returns the id of the message. */
  write(phone: string, from: Person, message: object | string): Promise<string>;
  /** The business writes with its own app. Returns the id of the message. */
  echo(phone: string, to: Person, text: string): Promise<string>;
  /** Changes what the network says about a number. */
  rate(
    phone: string,
    rating: Partial<Pick<Account, 'quality_rating' | 'messaging_limit' | 'is_on_biz_app'>>,
  ): Promise<void>;
  pushAccountEvent(phone: string, field: string, value: object): Promise<void>;
  /** Ends the review of the templates with this name. `silent`: the network pushes nothing. */
  review(
    phone: string,
    name: string,
    status: Template['status'],
    options?: { silent?: boolean; reason?: string },
  ): Promise<void>;
  addMedium(phone: string, mimeType: string, bytes: Uint8Array): Promise<string>;
  readMedium(id: string): Promise<{ mimeType: string; bytes: Buffer }>;
  expireAddresses(): Promise<void>;
  expireToken(token: string): Promise<void>;
  /** What the next calls that send a message get. */
  fail(...faults: Fault[]): Promise<void>;
  /** What the next call that reads a medium gets. */
  failMedia(fault: { status: number; code: number }): Promise<void>;
  deliver(delivery: Partial<Delivery>): Promise<void>;
  moveClock(ms: number): Promise<void>;
  /** The messages that the network took, in order. */
  sent(phone: string): Promise<SentMessage[]>;
  /** The statuses with which receivers refused webhooks. 0: no response. */
  refused(): Promise<number[]>;
  stop(): Promise<void>;
}

export async function startFakeGraph(): Promise<FakeGraph> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'program.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [base] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const call = async <Result>(command: string, given: object = {}): Promise<Result> => {
    const response = await fetch(`${base}/control/${command}`, {
      method: 'POST',
      body: JSON.stringify(given),
    });
    return (await response.json()) as Result;
  };
  const text = (body: object | string) =>
    typeof body === 'string' ? { type: 'text', text: { body } } : body;
  return {
    url: `${base}/v26.0`,
    async addNumber(displayNumber, app = { app_secret: randomBytes(16).toString('hex') }) {
      const credentials = {
        phone_number_id: newId(),
        waba_id: newId(),
        access_token: `EAA${randomBytes(24).toString('base64url')}`,
        app_secret: app.app_secret,
      };
      await call('account', { ...credentials, display_phone_number: displayNumber.replace(/\D/g, '') });
      return credentials;
    },
    setWebhook: async (phone, url, token) =>
      (await call<{ verified: boolean }>('webhook', { phone, url, token })).verified,
    write: async (phone, from, message) =>
      (await call<{ id: string }>('write', { phone, from, message: text(message) })).id,
    echo: async (phone, to, message) =>
      (await call<{ id: string }>('echo', { phone, to, message: text(message) })).id,
    rate: (phone, rating) => call('rate', { phone, ...rating }),
    pushAccountEvent: (phone, field, value) => call('account_event', { phone, field, value }),
    review: (phone, name, status, options = {}) => call('review', { phone, name, status, ...options }),
    addMedium: async (phone, mimeType, bytes) => {
      const base64 = Buffer.from(bytes).toString('base64');
      return (await call<{ id: string }>('medium', { phone, mime_type: mimeType, base64 })).id;
    },
    async readMedium(id) {
      const { mime_type: mimeType, base64 } = await call<{ mime_type: string; base64: string }>('media', {
        id,
      });
      return { mimeType, bytes: Buffer.from(base64, 'base64') };
    },
    expireAddresses: () => call('expire_addresses'),
    expireToken: (token) => call('expire_token', { token }),
    fail: (...faults) => call('fault', { faults }),
    failMedia: (fault) => call('media_fault', fault),
    deliver: (delivery) => call('delivery', delivery),
    moveClock: (ms) => call('clock', { ms }),
    sent: (phone) => call('sent', { phone }),
    refused: () => call('refused'),
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

const newId = (): string => String(BigInt(`0x${randomBytes(6).toString('hex')}`) + 10n ** 14n);
