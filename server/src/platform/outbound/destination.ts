import { isIP } from 'node:net';
import { OutboundError, outboundFailure } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

/** Connections use only these addresses, so that the name is not resolved again. */
export interface Destination {
  url: URL;
  hostname: string;
  port: number;
  addresses: readonly string[];
}

export type Resolve = (hostname: string, options: { allowed: boolean }) => Promise<readonly string[]>;

export type AllowList = (target: { hostname: string; port: number }) => boolean;

/** Parses `host`, `host:port`, `[::1]` or `[::1]:port`. Without a port, every port is allowed. */
export function createAllowList(entries: readonly string[]): AllowList {
  const allowed = entries.map((entry) => {
    const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    if (host === '' || !URL.canParse(`http://${host}/`)) {
      throw new Error(`${entry} is not a host or host:port`);
    }
    const { hostname } = new URL(`http://${host}/`);
    return { hostname: withoutBrackets(hostname), port: port === undefined ? null : Number(port) };
  });
  return (target) =>
    allowed.some(
      ({ hostname, port }) => hostname === target.hostname && (port === null || port === target.port),
    );
}

/** Accepts http(s) URLs that are allowed, or public on port 80 or 443. Throws `OutboundError`. */
export async function resolveDestination(
  text: string,
  resolve: Resolve,
  isAllowed: AllowList,
): Promise<Destination> {
  if (!URL.canParse(text)) throw outboundFailure('not_public', 'not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw outboundFailure('not_public', `scheme ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw outboundFailure('not_public', 'credentials in the URL');
  // The URL parser converts every IPv4 notation to the dotted one.
  const hostname = withoutBrackets(url.hostname);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const allowed = isAllowed({ hostname, port });
  if (!allowed && port !== 80 && port !== 443) throw outboundFailure('not_public', `port ${port}`);
  const addresses =
    isIP(hostname) === 0 ? await resolve(hostname, { allowed }).catch(unknownHost) : [hostname];
  if (addresses.length === 0) unknownHost(new Error('no address'));
  const hidden = allowed ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (hidden !== undefined) {
    const notPublic = `${hidden} is not public`;
    // A name that differs from a missing one would show that the operator's network knows it.
    if (isIP(hostname) === 0) unknownHost(new Error(notPublic));
    throw outboundFailure('not_public', notPublic);
  }
  return { url, hostname, port, addresses };
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

function unknownHost(cause: unknown): never {
  throw new OutboundError({ cause, kind: 'host_unknown', connectionFailed: true });
}
