import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Held by the one simulator that may write to a directory. */
export interface DataLock {
  release(): Promise<void>;
}

/**
 * Takes the lock on a directory; rejects when a living program has it. The lock is a listening socket, which the
 * system lets go when the program dies, however it dies. Its file lies in the system's temporary directory, because
 * a socket's path may have no more than about a hundred bytes.
 */
export async function lockDirectory(directory: string): Promise<DataLock> {
  const name = createHash('sha256')
    .update(await realpath(directory))
    .digest('hex')
    .slice(0, 32);
  const path = join(tmpdir(), `parley-simulator-${name}.sock`);
  const server = (await listen(path)) ?? (await takeOver(path));
  if (!server) throw new Error(`another program runs the simulated network on ${directory}`);
  server.unref();
  return {
    async release() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

async function takeOver(path: string): Promise<Server | null> {
  if (await answers(path)) return null;
  await rm(path, { force: true });
  return listen(path);
}

/** Null when the path is taken. */
function listen(path: string): Promise<Server | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Server | null>();
  const server = createServer((visitor) => visitor.destroy());
  server.once('error', (error) => {
    if ('code' in error && error.code === 'EADDRINUSE') resolve(null);
    else reject(error);
  });
  server.listen(path, () => resolve(server));
  return promise;
}

function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const visitor = createConnection(path);
  visitor.once('connect', () => {
    visitor.destroy();
    resolve(true);
  });
  visitor.once('error', () => resolve(false));
  return promise;
}
