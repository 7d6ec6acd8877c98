import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Held by the one simulator that may write to a directory. */
export interface DataLock {
  release(): Promise<void>;
}

/** Another living program runs the simulator of this directory, at `url`: connect to that one. */
export class SimulatorElsewhere extends Error {
  override readonly name = 'SimulatorElsewhere';
  readonly url: string;
  constructor(directory: string, url: string) {
    super(`another program runs the simulated network on ${directory}, at ${url}`);
    this.url = url;
  }
}

/**
 * Takes the lock on a directory; rejects with `SimulatorElsewhere` when a living program has it. The lock is a
 * listening socket, which the system lets go when the program dies, however it dies, and which tells whoever asks at
 * which `url` the simulator is (`''`: it could not start). Its file lies in the system's temporary directory, because a
 * socket's path may have no more than about a hundred bytes.
 */
export async function lockDirectory(directory: string, url: Promise<string>): Promise<DataLock> {
  const name = createHash('sha256')
    .update(await realpath(directory))
    .digest('hex')
    .slice(0, 32);
  const path = join(tmpdir(), `parley-simulator-${name}.sock`);
  const server = createServer((visitor) => {
    visitor.on('error', () => visitor.destroy());
    void url.then((known) => visitor.end(known));
  });
  if (!(await listen(server, path))) {
    const elsewhere = await ask(path);
    if (elsewhere !== null) throw new SimulatorElsewhere(directory, elsewhere);
    await rm(path, { force: true });
    if (!(await listen(server, path)))
      throw new Error(`two programs start the simulated network on ${directory}`);
  }
  server.unref();
  return {
    async release() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

/** False when the path is taken. */
function listen(server: Server, path: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const failed = (error: Error) => {
    if ('code' in error && error.code === 'EADDRINUSE') resolve(false);
    else reject(error);
  };
  server.once('error', failed);
  server.listen(path, () => {
    server.off('error', failed);
    resolve(true);
  });
  return promise;
}

/** What the holder of the lock answers; null when there is none, or it goes away over the question. */
async function ask(path: string): Promise<string | null> {
  try {
    const answer = await text(createConnection(path));
    return answer === '' ? null : answer;
  } catch {
    // Nobody listens: the socket's file was left behind by a program that died.
    return null;
  }
}
