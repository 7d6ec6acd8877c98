import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Fault, Json } from './bot-api.ts';

export interface SentMessage {
  chatId: number;
  method: string;
  message: Json;
  file: { name: string; type: string; base64: string } | null;
}

/** A bot and the people who write to it. */
export interface FakeTelegramBot {
  token: string;
  username: string;
  /** Returns the message. `kind`: default `message`. */
  write(user: number, content: object, kind?: string): Promise<Json>;
  /** Returns the reference of a file for the content of a message. `size`: what the Bot API says about it. */
  addFile(bytes: Buffer, name: string, size?: number): Promise<Json>;
  update(kind: string, content: object): Promise<void>;
  press(user: number, messageId: number, data: string): Promise<void>;
  setBlocked(user: number, blocked: boolean): Promise<void>;
  /** Leads the pushes to another origin, like a reverse proxy. */
  proxy(origin: string): Promise<void>;
  /** Pushes the last update again. */
  repeatLast(): Promise<void>;
  fail(method: string, fault: Fault): Promise<void>;
  /** What the users see, and how many updates wait for the webhook. */
  read(): Promise<{ sent: SentMessage[]; answered: string[]; pending: number }>;
}

export interface FakeTelegram {
  url: string;
  createBot(
    users: readonly { id: number; first_name: string; last_name?: string }[],
  ): Promise<FakeTelegramBot>;
  stop(): Promise<void>;
}

/** Starts the fake Bot API in a process of its own. */
export async function startFakeTelegram(): Promise<FakeTelegram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'program.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const control = async (what: string, body: object): Promise<Json> => {
    const response = await fetch(`${url}/control/${what}`, { method: 'POST', body: JSON.stringify(body) });
    assert.equal(response.status, 200);
    return response.json();
  };
  return {
    url,
    async createBot(users) {
      const { token, username } = await control('bot', { users });
      return {
        token,
        username,
        write: (user, content, kind) => control('write', { token, user, content, kind }),
        addFile: (bytes, name, size) =>
          control('file', { token, base64: bytes.toString('base64'), name, size }),
        update: (kind, content) => control('update', { token, kind, content }),
        press: (user, messageId, data) => control('press', { token, user, messageId, data }),
        setBlocked: (user, blocked) => control('block', { token, user, blocked }),
        proxy: (origin) => control('proxy', { token, origin }),
        repeatLast: () => control('repeat', { token }),
        fail: (method, fault) => control('fault', { token, method, fault }),
        read: () => control('state', { token }),
      };
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
