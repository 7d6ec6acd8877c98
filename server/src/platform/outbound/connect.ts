import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AllowList, Destination, Resolve } from './destination.ts';
import { OutboundError } from './outbound-error.ts';
import { isSameAddress } from './public-address.ts';

export type OpenSocket = (address: string, port: number) => Socket;

export interface Transport {
  resolve: Resolve;
  openSocket: OpenSocket;
  isAllowed: AllowList;
}

export async function connectTo(
  destination: Destination,
  openSocket: OpenSocket,
  signal: AbortSignal,
): Promise<Socket> {
  let cause: unknown;
  for (const address of destination.addresses) {
    const socket = openSocket(address, destination.port);
    try {
      return await establish(socket, address, destination, signal);
    } catch (error) {
      socket.destroy();
      if (signal.aborted) throw error;
      cause = error;
    }
  }
  throw new OutboundError({ cause, connectionFailed: true });
}

async function establish(
  socket: Socket,
  address: string,
  { url, hostname }: Destination,
  signal: AbortSignal,
): Promise<Socket> {
  // An `error` event without a listener would end the process.
  socket.on('error', () => undefined);
  await once(socket, 'connect', { signal });
  if (!isSameAddress(socket.remoteAddress ?? '', address)) {
    throw new Error(`${socket.remoteAddress} responded instead of ${address}`);
  }
  socket.setNoDelay(true);
  if (url.protocol === 'http:') return socket;
  const secured = connectTls({
    socket,
    host: hostname,
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ALPNProtocols: ['http/1.1'],
  });
  secured.on('error', () => undefined);
  await once(secured, 'secureConnect', { signal });
  return secured;
}

export async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
