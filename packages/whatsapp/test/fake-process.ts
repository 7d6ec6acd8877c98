import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FakeFault } from './fake-network/fake-network.ts';
import type { JournalEntry, ReceivedMessage } from './fake-network/journal.ts';

/** The fake network in a separate process. */
export interface FakeProcess {
  url: string;
  /** Returns whether the device accepted the link. */
  scan(qr: string, phone: string): Promise<boolean>;
  /** Sends a text from a phone. Returns the message's id. */
  write(message: { from: string; to: string; text: string }): Promise<string>;
  injectFault(device: string, fault: FakeFault): Promise<void>;
  received(contact: string, device: string): Promise<ReceivedMessage[]>;
  journal(): Promise<JournalEntry[]>;
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
    write: (message) => call('write', message),
    injectFault: (device, fault) => call('fault', { device, fault }),
    received: (contact, device) => call('received', { contact, device }),
    journal: () => call('journal', {}),
    close: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}
