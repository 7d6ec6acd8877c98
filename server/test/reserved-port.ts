import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of loopback on which nobody listens but who was told of it. */
interface KeptPort {
  readonly port: number;
  /** Lets another test have it; once more changes nothing. */
  release(): Promise<void>;
}

/**
 * Systems give ports to who asks for any from a range above this one, and in a run of the tests somebody always asks: a
 * port from there that is let go of, if only over a restart, is another's now and then.
 */
const [lowest, beyond] = [20_000, 32_000];

/** Keeps a port for what a test stops and starts again at one address, or for an address where nobody is to listen. */
export async function reservePort(candidate = () => randomInt(lowest, beyond)): Promise<KeptPort> {
  for (;;) {
    const port = candidate();
    const claim = await claimOf(port);
    if (claim === null) continue;
    let released: Promise<unknown> | undefined;
    const release = async () => {
      released ??= Promise.all([once(claim, 'close'), claim.close()]);
      await released;
    };
    if (await isFree(port)) return { port, release };
    await release();
  }
}

/**
 * Tests tell one another of a port that they keep by its namesake of UDP, which is in nobody's way and is let go of with
 * the process. Null when another test keeps it.
 */
function claimOf(port: number): Promise<Socket | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket | null>();
  const socket = createSocket('udp4');
  socket.once('error', (error) => {
    socket.close();
    if (isTaken(error)) resolve(null);
    else reject(error);
  });
  socket.bind(port, '127.0.0.1', () => resolve(socket.unref()));
  return promise;
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', (error) => (isTaken(error) ? resolve(false) : reject(error)));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}

const isTaken = (error: Error): boolean => 'code' in error && error.code === 'EADDRINUSE';
