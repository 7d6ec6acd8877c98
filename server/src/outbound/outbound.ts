import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { Client } from 'undici';
import { connectTo, type OpenSocket } from './connect.ts';
import {
  type AllowList,
  createAllowList,
  type Destination,
  type Resolve,
  resolveDestination,
} from './destination.ts';
import { type FetchedImage, fetchImage } from './fetch-image.ts';
import { OutboundError } from './outbound-error.ts';
import { acceptedEncodings, acceptsReadableEncodings, readBody } from './read-body.ts';

/** The one way to call an address that a partner gave. */
export interface Outbound {
  /**
   * Calls public addresses and those of the allow-list. Redirects are answers like any other. Rejects with
   * `OutboundError` for whatever gave no answer, with the signal's reason when that aborts.
   */
  call(request: OutboundRequest, limits: OutboundLimits): Promise<OutboundResponse>;
  /**
   * An image on a public address, of at most 10 MiB and of the expected type, if one is expected. Throws
   * `image_unavailable` (400).
   */
  fetchImage(
    url: string,
    options?: { expectedMimeType?: string; signal?: AbortSignal },
  ): Promise<FetchedImage>;
}

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Values are sent in UTF-8. `accept-encoding` is ours unless it is here, in any letter case, and asks for what is read. */
  headers: Readonly<Record<string, string>>;
  body?: string;
}

interface OutboundLimits {
  signal?: AbortSignal;
  /** Of the body, unpacked. */
  maxBytes: number;
  /** From the name's resolution to the last byte. */
  timeoutMs: number;
}

export interface OutboundResponse {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export function createOutbound(options: {
  /** `host` or `host:port`: what `call` may reach although it is not public. */
  allowedHosts: readonly string[];
  resolve?: Resolve;
  openSocket?: OpenSocket;
}): Outbound {
  const { resolve = resolveByDns, openSocket = openTcp } = options;
  const calling = (isAllowed: AllowList) => (request: OutboundRequest, limits: OutboundLimits) =>
    call({ resolve, openSocket, isAllowed }, request, limits);
  const callPublic = calling(() => false);
  return {
    call: calling(createAllowList(options.allowedHosts)),
    fetchImage: (url, expectations = {}) => fetchImage(callPublic, url, expectations),
  };
}

interface Ways {
  resolve: Resolve;
  openSocket: OpenSocket;
  isAllowed: AllowList;
}

async function call(
  { resolve, openSocket, isAllowed }: Ways,
  request: OutboundRequest,
  { signal, maxBytes, timeoutMs }: OutboundLimits,
): Promise<OutboundResponse> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const deadline = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    const destination = await untilAborted(deadline, resolveDestination(request.url, resolve, isAllowed));
    return await exchange(destination, request, { openSocket, maxBytes, deadline });
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    if (cause instanceof OutboundError) throw cause;
    throw new OutboundError({ cause, connectionFailed: !timeout.aborted });
  }
}

/** One connection for one exchange: nothing that was judged for one request serves another. */
async function exchange(
  destination: Destination,
  { method, headers, body }: OutboundRequest,
  { openSocket, maxBytes, deadline }: { openSocket: OpenSocket; maxBytes: number; deadline: AbortSignal },
): Promise<OutboundResponse> {
  const { url } = destination;
  const client = new Client(url.origin, {
    pipelining: 1,
    connect: (_, connected) => {
      connectTo(destination, openSocket, deadline).then(
        (socket) => connected(null, socket),
        (error: Error) => connected(error, null),
      );
    },
  });
  try {
    const response = await client.request({
      method,
      path: `${url.pathname}${url.search}`,
      headers: sentHeaders(headers),
      signal: deadline,
      ...(body === undefined ? {} : { body }),
    });
    const encoding = response.headers['content-encoding'];
    return {
      status: response.statusCode,
      headers: response.headers,
      body: await readBody(response.body, Array.isArray(encoding) ? encoding.join() : encoding, maxBytes),
    };
  } finally {
    await client.destroy();
  }
}

/** Each value with a character for each of its bytes, which is how undici takes them. */
function sentHeaders(headers: OutboundRequest['headers']): Record<string, string> {
  const isReadable = ([name, value]: [string, string]) =>
    name.toLowerCase() !== 'accept-encoding' || acceptsReadableEncodings(value);
  const entries = Object.entries(headers).filter(isReadable);
  const isAsked = entries.some(([name]) => name.toLowerCase() === 'accept-encoding');
  if (!isAsked) entries.push(['accept-encoding', acceptedEncodings]);
  return Object.fromEntries(entries.map(([name, value]) => [name, Buffer.from(value).toString('latin1')]));
}

/** The system's resolver cannot be interrupted; it is not waited for any longer. */
async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

const resolveByDns: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

const openTcp: OpenSocket = (address, port) => connect({ host: address, port });
