import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';

interface Listening {
  address(): AddressInfo | string | null;
}

/** For interfaces with small requests, in bytes and ms. Node allows headers the larger of the two timeouts. */
export const smallRequestLimits = {
  bodyLimit: 1024,
  requestTimeout: 10_000,
  // Joined, a repeated Host header is malformed.
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000, joinDuplicateHeaders: true },
};

export function getPort(server: Listening): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

/** Returns the machine's name for an address that stands for all of its addresses, because others cannot connect to that. */
export const reachableHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? hostname() : host;

export const getUrl = (host: string, server: Listening): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${getPort(server)}`;
