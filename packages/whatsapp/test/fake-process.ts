import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Addressing } from './fake-network/accounts.ts';
import type { FakeFault } from './fake-network/fake-network.ts';
import type { JournalEntry, ReceivedMessage } from './fake-network/journal.ts';
import type { SecretRequest } from './fake-network/pairing.ts';

interface MediaOptions {
  kind: string;
  mimetype?: string;
  caption?: string;
  fileName?: string;
  ptt?: boolean;
  seconds?: number;
}

interface WrittenText {
  from: string;
  to: string;
  text: string;
}

/** The fake network in a separate process. */
export interface FakeProcess {
  url: string;
  /** Returns whether the device accepted the link. */
  scan(qr: string, phone: string): Promise<boolean>;
  /** Retires the secret in a code and asks for a new one. Returns whether the device acknowledged the request. */
  requestSecret(qr: string, request: SecretRequest): Promise<boolean>;
  /** Enters a pairing code on a phone. Returns whether the device accepted the link. */
  enterCode(code: string, phone: string): Promise<boolean>;
  /** Sends a text from a phone. Returns the message's id. */
  write(message: WrittenText): Promise<string>;
  /** Sends content from a phone. Returns the message's id. */
  writeContent(chat: { from: string; to: string }, message: object): Promise<string>;
  /** Sends media from a phone. `media` has a \`kind\` and the library's options. Returns the message's id. */
  writeMedia(chat: { from: string; to: string }, media: MediaOptions, bytes: Uint8Array): Promise<string>;
  /** Counts the downloads that followed a redirect. */
  redirected(): Promise<number>;
  /** The certificate of the host of media. */
  certificate: string;
  /** Sends a message that only the phone of `to` can read, like the first one after an advertisement. */
  writePlaceholder(message: WrittenText & { type?: string }): Promise<string>;
  writeToGroup(chat: { from: string; to: string }): Promise<string>;
  /** Chooses which addresses of a phone the network reveals. */
  address(phone: string, addressing: Addressing): Promise<void>;
  /** Edits a message with the encryption that apps use since May 2026. */
  edit(message: WrittenText & { id: string }): Promise<string>;
  vote(chat: { from: string; to: string; id: string }, options: string[]): Promise<string>;
  /** Nobody accepts the call, or the phone does. Returns its id. */
  call(call: { from: string; to: string; accepted?: 'yes'; video?: 'yes' }): Promise<string>;
  needToken(device: string, contact: string): Promise<void>;
  /** The network gives no more pairing codes for the phone. */
  exhaust(phone: string): Promise<void>;
  /** Resolves when the device answers. */
  ping(device: string): Promise<void>;
  /** `greeting`: the phone has the Business app, which sends it to each new contact. */
  describe(phone: string, as: { name?: string; greeting?: string }): Promise<void>;
  receipt(device: string, contact: string, id: string, type: string): Promise<void>;
  injectFault(device: string, fault: FakeFault): Promise<void>;
  received(contact: string, device: string): Promise<ReceivedMessage[]>;
  journal(): Promise<JournalEntry[]>;
  /** Counts the journal's entries of this type. */
  count(type: JournalEntry['type']): Promise<number>;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('./fake-network/serve.ts', import.meta.url));

export async function startFakeProcess(): Promise<FakeProcess> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  const call = async <Result>(path: string, body: object): Promise<Result> => {
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the fake network failed: ${await response.text()}`);
    // `serve.ts` documents the result of each path.
    return (await response.json()) as Result;
  };
  return {
    url: `ws://127.0.0.1:${port}/ws/chat`,
    scan: (qr, phone) => call('scan', { qr, phone }),
    requestSecret: (qr, request) => call('request_secret', { qr, request }),
    enterCode: (code, phone) => call('enter_code', { code, phone }),
    write: (message) => call('write', message),
    writeContent: (chat, message) => call('write', { ...chat, message: JSON.stringify(message) }),
    writeMedia: (chat, media, bytes) =>
      call('write', {
        ...chat,
        media: JSON.stringify(media),
        base64: Buffer.from(bytes).toString('base64'),
      }),
    certificate: await call<string>('certificate', {}),
    redirected: () => call('redirected', {}),
    writePlaceholder: (message) => call('placeholder', message),
    writeToGroup: (chat) => call('group', chat),
    address: (phone, addressing) => call('address', { phone, addressing }),
    edit: (message) => call('edit', message),
    vote: (chat, options) => call('vote', { ...chat, options: JSON.stringify(options) }),
    call: (made) => call('call', made),
    needToken: (device, contact) => call('need_token', { device, contact }),
    exhaust: (phone) => call('exhaust', { phone }),
    ping: (device) => call('ping', { device }),
    describe: (phone, as) => call('describe', { phone, ...as }),
    receipt: (device, contact, id, type) => call('receipt', { device, contact, id, type }),
    injectFault: (device, fault) => call('fault', { device, fault }),
    received: (contact, device) => call('received', { contact, device }),
    journal: () => call('journal', {}),
    count: (type) => call('count', { type }),
    close: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}
