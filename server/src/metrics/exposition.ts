import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Registry } from 'prom-client';

interface Reader {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** The metrics in Prometheus' text format, for who may read them; null for all others, to whom they do not exist. */
export type Exposition = (reader: Reader) => Promise<{ contentType: string; text: string } | null>;

/**
 * With a token, for who sends it as bearer; without one, for this machine alone: what a proxy on it passes on does not
 * count.
 */
export function createExposition({
  registry,
  token,
}: {
  registry: Registry;
  token: string | null;
}): Exposition {
  const admits = token === null ? isLocal : bears(token);
  return async (reader) =>
    admits(reader) ? { contentType: registry.contentType, text: await registry.metrics() } : null;
}

const bears = (token: string) => {
  const expected = digest(`Bearer ${token}`);
  return ({ headers }: Reader): boolean => timingSafeEqual(expected, digest(headers.authorization ?? ''));
};

const digest = (text: string) => createHash('sha256').update(text).digest();

/** By the socket: what a header says of who calls is no matter here. */
function isLocal({ socket, headers }: Reader): boolean {
  const { remoteAddress: ip = '' } = socket;
  const passedOn = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  return !passedOn && ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback';
}
