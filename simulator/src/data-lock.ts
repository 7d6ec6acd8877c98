import { once } from 'node:events';
import { mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { basename, join } from 'node:path';
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
const maxAttempts = 50;
const pauseMs = 20;

/**
 * Locks a directory. Rejects with `SimulatorAlreadyRunning` when another process holds the lock. The holder listens on the
 * only socket in the subdirectory `lock` and sends `url` to each client (`''` if the simulator failed). A socket of a dead
 * process is removed under its own name, so the socket of a later holder stays.
 */
export async function lockDirectory(directory: string, url: Promise<string>): Promise<DataLock> {
  const lock = join(directory, 'lock');
  const own = await mkdtemp(`${lock}-`);
  const name = basename(own);
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client.unref());
    client.on('error', () => client.destroy());
    client.on('close', () => clients.delete(client));
    // The connection stays open while the lock is held, so that clients notice its release.
    void url.then((known) => (known === '' ? client.end() : client.write(`${known}\n`)));
  });
  const close = async (path: string) => {
    await rm(path, { recursive: true, force: true });
    const closed = once(server, 'close');
    server.close();
    for (const client of clients) client.destroy();
    await closed;
  };
  await listen(server, own, name);
  server.unref();
  try {
    for (let attempt = 1; !(await tryRename(own, lock)); attempt += 1) {
      await checkHolder(directory, lock);
      if (attempt === maxAttempts)
        throw new Error(
          `another process holds the lock on ${directory} but does not start the simulated network`,
        );
      await delay(pauseMs);
    }
  } catch (error) {
    await close(own);
    throw error;
  }
  return { release: () => close(join(lock, name)) };
}

/** Rejects with `SimulatorAlreadyRunning` when the holder responds. Removes the socket of a dead holder. */
async function checkHolder(directory: string, lock: string): Promise<void> {
  const [name] = await readdir(lock);
  if (name === undefined) return;
  const holderUrl = await readHolderUrl(lock, name);
  if (holderUrl === null) await rm(join(lock, name), { force: true });
  else if (holderUrl !== '') throw new SimulatorAlreadyRunning(directory, holderUrl);
}

/** Resolves when no process holds the lock, or `signal` aborts. */
export async function waitForRelease(directory: string, signal: AbortSignal): Promise<void> {
  const lock = join(directory, 'lock');
  const [name] = await readdir(lock).catch(() => []);
  if (name === undefined) return;
  const connection = await connect(lock, name).catch(() => null);
  if (connection === null || connection.closed) return;
  connection.unref();
  const { promise, resolve } = Promise.withResolvers<void>();
  connection.on('close', () => resolve());
  connection.resume();
  signal.addEventListener('abort', () => connection.destroy(), { once: true });
  if (signal.aborted) connection.destroy();
  await promise;
}

async function listen(server: Server, directory: string, name: string): Promise<void> {
  await withSocketPath(directory, name, async (path) => {
    server.listen(path);
    await once(server, 'listening');
  });
}

function connect(directory: string, name: string): Promise<Socket> {
  return withSocketPath(directory, name, async (path) => {
    const connection = createConnection(path);
    await once(connection, 'connect');
    return connection.on('error', () => connection.destroy());
  });
}

/** Linux limits the path of a socket to 108 bytes. A path through the open directory is always short. */
async function withSocketPath<Result>(
  directory: string,
  name: string,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  if (process.platform !== 'linux') return use(join(directory, name));
  await using handle = await open(directory);
  return await use(`/proc/self/fd/${handle.fd}/${name}`);
}

/** A directory replaces another only if that one is empty, so one process succeeds. */
async function tryRename(own: string, lock: string): Promise<boolean> {
  try {
    await rename(own, lock);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Reads the URL from the holder of the lock. Returns `''` if it sends none, and null if the process is dead. */
async function readHolderUrl(lock: string, name: string): Promise<string | null> {
  let answer = '';
  let connection: Socket | undefined;
  try {
    connection = await connect(lock, name);
    for await (const chunk of connection.setEncoding('utf8')) {
      answer += chunk;
      if (answer.endsWith('\n')) return answer.trimEnd();
    }
    return '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? null : '';
  } finally {
    connection?.destroy();
  }
}
