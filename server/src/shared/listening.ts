import type { AddressInfo } from 'node:net';

/** What listens on TCP: a server of HTTP, of sockets, of WebSockets. */
interface Listening {
  address(): AddressInfo | string | null;
}

/**
 * For interfaces whose requests are small: 1 KiB, in 10 s, which is looked at every 5. Bytes and milliseconds. Headers have
 * as long as the whole: Node takes the larger of the two for that.
 */
export const smallRequestLimits = {
  bodyLimit: 1024,
  requestTimeout: 10_000,
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 },
};

/** The port that it listens on. Throws where it listens on none. */
export function getPort(server: Listening): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

/** Where it is reached under this name or address. */
export const getUrl = (host: string, server: Listening): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${getPort(server)}`;
