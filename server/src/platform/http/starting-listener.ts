import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { smallRequestLimits } from '../shared/listening.ts';
import type { ErrorReason } from './error-reasons.ts';
import { readRequestId } from './request-id.ts';

const unavailable = JSON.stringify({
  success: false,
  error: 'This process is starting; try again',
  code: 'INTERNAL_ERROR',
  details: { reason: 'starting' satisfies ErrorReason },
});

const respond: RequestListener = (request, response) => {
  const isHealth = request.method === 'GET' && request.url?.split('?')[0] === '/healthz';
  response.writeHead(isHealth ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': readRequestId(request.headers),
    connection: 'close',
    ...(isHealth ? {} : { 'retry-after': '1' }),
  });
  response.end(isHealth ? JSON.stringify({ status: 'starting' }) : unavailable);
};

interface Address {
  host: string;
  port: number;
}

/** Serve the ports of the roles until each role opens its own: `/healthz` reports `starting`, other paths get 503. */
export interface StartingPorts {
  /** Frees the port for the role. */
  release(port: number | null): Promise<void>;
  close(): Promise<void>;
}

/** Skips ports that are 0, because the role will get another one. */
export async function openStartingPorts(addresses: readonly Address[]): Promise<StartingPorts> {
  const listeners = new Map<number, Listener>();
  const release = async (port: number | null) => {
    if (port === null) return;
    const listener = listeners.get(port);
    listeners.delete(port);
    await listener?.close();
  };
  const ports = {
    release,
    async close() {
      for (const port of listeners.keys()) await release(port);
    },
  };
  try {
    for (const address of addresses) {
      if (address.port !== 0) listeners.set(address.port, await startListener(address));
    }
  } catch (error) {
    await ports.close();
    throw error;
  }
  return ports;
}

interface Listener {
  close(): Promise<void>;
}

async function startListener(address: Address): Promise<Listener> {
  const server = createServer({ requestTimeout: smallRequestLimits.requestTimeout }, respond);
  server.listen(address);
  await once(server, 'listening');
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
