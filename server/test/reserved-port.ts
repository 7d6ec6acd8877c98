import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A loopback port for the exclusive use of a test. */
interface ReservedPort {
  readonly port: number;
  /** Releases the port. Idempotent. */
  release(): Promise<void>;
}

/** The OS allocates ephemeral ports above this range. Another process could take such a port during a restart. */
const [lowest, beyond] = [20_000, 32_000];

/** Reserves a port for a server that restarts, or for an address without a listener. */
export async function reservePort(candidate = () => randomInt(lowest, beyond)): Promise<ReservedPort> {
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
 * Claims a port among the tests by binding the UDP port of the same number, which ends with the process. Returns null
 * if another test has it.
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
