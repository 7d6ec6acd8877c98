import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Registry } from 'prom-client';
import { isLoopback, readHostName } from '../shared/hosts.ts';

interface Reader {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** Returns the metrics in Prometheus' text format, or null if the reader is not authorized. */
export type Exposition = (reader: Reader) => Promise<{ contentType: string; text: string } | null>;

export function createExposition({
  registry,
  token,
}: {
  registry: Registry;
  token: string | null;
}): Exposition {
  const isAuthorized = token === null ? isLocal : hasToken(token);
  return async (reader) =>
    isAuthorized(reader) ? { contentType: registry.contentType, text: await registry.metrics() } : null;
}

/** Whether the reader is on this machine or has the token. */
export const createReaderCheck =
  (token: string | null) =>
  (reader: Reader): boolean =>
    isLocal(reader) || (token !== null && hasToken(token)(reader));

const hasToken = (token: string) => {
  const expected = digest(`Bearer ${token}`);
  return ({ headers }: Reader): boolean => timingSafeEqual(expected, digest(headers.authorization ?? ''));
};

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Checks the peer's address and the Host header. Requests with forwarding headers come from elsewhere. */
function isLocal({ socket, headers }: Reader): boolean {
  const { remoteAddress: ip = '' } = socket;
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  const isLocalHost = isLoopback(readHostName(headers.host ?? '') ?? '');
  return !isForwarded && isLocalHost && ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback';
}
