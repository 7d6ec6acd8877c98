import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpath, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Held by the one simulator that may write to a directory. */
export interface DataLock {
  release(): Promise<void>;
}

/** Another living program runs the simulator of this directory, at `url`: connect to that one. */
export class SimulatorAlreadyRunning extends Error {
  override readonly name = 'SimulatorElsewhere';
  readonly url: string;
  constructor(directory: string, url: string) {
    super(`another program runs the simulated network on ${directory}, at ${url}`);
    this.url = url;
  }
}

/** Each attempt after the first follows a holder that has just gone, or could not start. */
const ATTEMPTS = 50;
const PAUSE_MS = 20;

/**
 * Takes the lock on a directory; rejects with `SimulatorElsewhere` when a living program has it. The lock is a
 * listening socket, which the system lets go when the program dies, however it dies, and which tells whoever asks at
 * which `url` the simulator is (`''`: it could not start).
 */
export async function lockDirectory(directory: string, url: Promise<string>): Promise<DataLock> {
  const address = await addressOf(directory);
  const visitors = new Set<Socket>();
  const server = createServer((visitor) => {
    visitors.add(visitor.unref());
    visitor.on('error', () => visitor.destroy());
    visitor.on('close', () => visitors.delete(visitor));
    // The connection stays as long as the lock does: its end tells the visitor that the lock is free.
    void url.then((known) => (known === '' ? visitor.end() : visitor.write(`${known}\n`)));
  });
  for (let attempt = 1; !(await listen(server, address)); attempt += 1) {
    const elsewhere = await askHolder(address);
    if (elsewhere !== null) throw new SimulatorAlreadyRunning(directory, elsewhere);
    if (attempt === ATTEMPTS)
      throw new Error(`another program cannot start the simulated network on ${directory}`);
    // Left behind by a program that died.
    if (isFile(address)) await rm(address, { force: true });
    await delay(PAUSE_MS);
  }
  server.unref();
  return {
    async release() {
      const closed = once(server, 'close');
      server.close();
      for (const visitor of visitors) visitor.destroy();
      await closed;
    },
  };
}

/** Resolves when the program that holds the lock on a directory goes away; at once when none does. */
export async function waitForRelease(directory: string, signal: AbortSignal): Promise<void> {
  const connection = createConnection(await addressOf(directory)).unref();
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.on('error', () => connection.destroy());
  connection.on('close', () => resolve());
  connection.resume();
  signal.addEventListener('abort', () => connection.destroy(), { once: true });
  if (signal.aborted) connection.destroy();
  await promise;
}

/**
 * Where the lock of a directory listens. Linux has names that vanish with their owner; elsewhere it is a file in the
 * system's temporary directory, because a socket's path may have no more than about a hundred bytes.
 */
async function addressOf(directory: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await realpath(directory))
    .digest('hex')
    .slice(0, 32);
  const name = `parley-simulator-${digest}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

function isFile(address: string): boolean {
  return !address.startsWith('\0');
}

/** False when the address is taken. */
function listen(server: Server, address: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const failed = (error: Error) => {
    if ('code' in error && error.code === 'EADDRINUSE') resolve(false);
    else reject(error);
  };
  server.once('error', failed);
  server.listen(address, () => {
    server.off('error', failed);
    resolve(true);
  });
  return promise;
}

/** What the holder of the lock answers; null when there is none, or it goes away over the question. */
async function askHolder(address: string): Promise<string | null> {
  const connection = createConnection(address);
  let answer = '';
  try {
    for await (const chunk of connection.setEncoding('utf8')) {
      answer += chunk;
      if (answer.endsWith('\n')) return answer.trimEnd();
    }
    return null;
  } catch {
    // Nobody listens any more.
    return null;
  } finally {
    connection.destroy();
  }
}
