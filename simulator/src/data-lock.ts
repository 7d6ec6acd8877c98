import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpath, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface DataLock {
  release(): Promise<void>;
}

export class SimulatorAlreadyRunning extends Error {
  override readonly name = 'SimulatorAlreadyRunning';
  readonly url: string;
  constructor(directory: string, url: string) {
    super(`another process runs the simulated network on ${directory}, at ${url}`);
    this.url = url;
  }
}

/** A retry is needed only when the holder has just exited or could not start. */
const ATTEMPTS = 50;
const PAUSE_MS = 20;

/**
 * Locks a directory. Rejects with `SimulatorAlreadyRunning` when another process holds the lock. The lock is a listening
 * socket, which the system closes when the process dies. It sends `url` to each client (`''` if the simulator failed).
 */
export async function lockDirectory(directory: string, url: Promise<string>): Promise<DataLock> {
  const address = await getLockAddress(directory);
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client.unref());
    client.on('error', () => client.destroy());
    client.on('close', () => clients.delete(client));
    // The connection stays open while the lock is held, so that clients notice its release.
    void url.then((known) => (known === '' ? client.end() : client.write(`${known}\n`)));
  });
  for (let attempt = 1; !(await tryListen(server, address)); attempt += 1) {
    const holderUrl = await readHolderUrl(address);
    if (holderUrl !== null) throw new SimulatorAlreadyRunning(directory, holderUrl);
    if (attempt === ATTEMPTS)
      throw new Error(
        `another process holds the lock on ${directory} but does not start the simulated network`,
      );
    // The process that created the socket file is dead.
    if (isFile(address)) await rm(address, { force: true });
    await delay(PAUSE_MS);
  }
  server.unref();
  return {
    async release() {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}

/** Resolves when no process holds the lock, or `signal` aborts. */
export async function waitForRelease(directory: string, signal: AbortSignal): Promise<void> {
  const connection = createConnection(await getLockAddress(directory)).unref();
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.on('error', () => connection.destroy());
  connection.on('close', () => resolve());
  connection.resume();
  signal.addEventListener('abort', () => connection.destroy(), { once: true });
  if (signal.aborted) connection.destroy();
  await promise;
}

/** Linux has abstract sockets. Elsewhere the socket is in the temporary directory, because its path is limited to 104 bytes. */
async function getLockAddress(directory: string): Promise<string> {
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

function tryListen(server: Server, address: string): Promise<boolean> {
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

/** Reads the URL from the holder of the lock. Returns null when no holder answers. */
async function readHolderUrl(address: string): Promise<string | null> {
  const connection = createConnection(address);
  let answer = '';
  try {
    for await (const chunk of connection.setEncoding('utf8')) {
      answer += chunk;
      if (answer.endsWith('\n')) return answer.trimEnd();
    }
    return null;
  } catch {
    return null;
  } finally {
    connection.destroy();
  }
}
