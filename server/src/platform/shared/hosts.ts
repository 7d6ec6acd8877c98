import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * The hosts under which the servers of this process respond. A page can point a name of its own at this machine (DNS
 * rebinding), so browsers would let it read the responses. Such a name is not in the list.
 */
export interface Hosts {
  /** Returns whether the Host header names a listed host, a loopback name or an IP address. Ignores the port. */
  allows(host: string): boolean;
  /** Returns whether a browser sent the request for a page of another site. Programs send neither header. */
  areForeign(headers: IncomingHttpHeaders): boolean;
}

export interface Refusal {
  status: 400 | 403;
  code: 'BAD_REQUEST' | 'FORBIDDEN';
  reason: string;
  message: string;
}

export const hostNotAllowed = {
  status: 400,
  code: 'BAD_REQUEST',
  reason: 'host_not_allowed',
  message: 'The Host header is not a name of this deployment; add the name to ALLOWED_HOSTS',
} as const satisfies Refusal;

export const originNotAllowed = {
  status: 403,
  code: 'FORBIDDEN',
  reason: 'origin_not_allowed',
  message:
    'A web page of another site sent this request; send it from your server or from a page of this deployment',
} as const satisfies Refusal;

/** Returns why a server that only programs and its own pages use must refuse a request, with the response. */
export function findRefusal(hosts: Hosts, headers: IncomingHttpHeaders) {
  const isAllowed = headers.host === undefined || hosts.allows(headers.host);
  const refusal = isAllowed ? (hosts.areForeign(headers) ? originNotAllowed : null) : hostNotAllowed;
  if (refusal === null) return null;
  const { status, code, reason, message } = refusal;
  return { status, body: { success: false, error: message, code, details: { reason } } };
}

/** More different headers than this are parsed on every request. */
const capacity = 1000;

const hostPattern = /^(?:\[([0-9a-f:.]+)\]|([^:[\],/?#@\s]+))(?::\d{0,5})?$/i;

/** `names` are in lower case. */
export function createHosts(names: Iterable<string>): Hosts {
  const listed = new Set(names);
  const allowed = new Set<string>();
  return {
    allows(host) {
      if (allowed.has(host)) return true;
      const name = readHostName(host);
      if (name === null || !(listed.has(name) || isLoopbackName(name) || isIP(name) !== 0)) return false;
      if (allowed.size < capacity) allowed.add(host);
      return true;
    },
    areForeign({ host, origin, 'sec-fetch-site': site }) {
      if (site === 'cross-site') return true;
      if (origin === undefined) return false;
      // Browsers send `null` for sandboxed pages and files.
      if (!URL.canParse(origin)) return true;
      const from = new URL(origin);
      return from.host !== host?.toLowerCase() && !listed.has(from.hostname);
    },
  };
}

/** Whether a browser says that a page of this very host and port sent the request. Programs and other browsers prove nothing. */
export function provesSameOrigin({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** Returns the name in lower case, without port and brackets, or null for a malformed or repeated Host header. */
export function readHostName(host: string): string | null {
  const [, address, name] = hostPattern.exec(host) ?? [];
  return (address ?? name)?.toLowerCase() ?? null;
}

/** Returns whether the host is a name or an address of this machine's loopback interface. */
export function isLoopback(name: string): boolean {
  return isLoopbackName(name) || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Browsers resolve `*.localhost` themselves. */
const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
