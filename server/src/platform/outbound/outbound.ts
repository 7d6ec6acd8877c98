import { lookup, Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { connectTo, type OpenSocket, type Transport, untilAborted } from './connect.ts';
import {
  type AllowList,
  createAllowList,
  type Destination,
  type Resolve,
  resolveDestination,
} from './destination.ts';
import { type FetchedImage, fetchImage } from './fetch-image.ts';
import { OutboundError, outboundFailure } from './outbound-error.ts';
import { type OutboundSession, openSession } from './session.ts';
import { loadUndici } from './undici.ts';

/** The only way to call an address that a partner supplied. */
export interface Outbound {
  /** Does not follow redirects. Rejects with `OutboundError`, or with the reason of an aborted signal. */
  call(request: OutboundRequest, limits: OutboundLimits): Promise<OutboundResponse>;
  /** Keeps connections to the URL's host open. Every new connection is checked like that of a call. */
  open(url: string, options: { connections: number }): OutboundSession;
  /** Fetches at most 10 MiB from a public address. Throws `image_unavailable` (400). */
  fetchImage(
    url: string,
    options?: { expectedMimeType?: string; signal?: AbortSignal },
  ): Promise<FetchedImage>;
}

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent in UTF-8. `accept-encoding` is replaced if `readBody` cannot read it. */
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

interface OutboundLimits {
  signal?: AbortSignal;
  maxBytes: number;
  timeoutMs: number;
}

export interface OutboundResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export function createOutbound(options: {
  /** `host` or `host:port` that `call` may reach although it is not public. */
  allowedHosts: readonly string[];
  resolve?: Resolve;
  openSocket?: OpenSocket;
}): Outbound {
  const { resolve = createResolve(), openSocket = openTcp } = options;
  const createCall = (isAllowed: AllowList) => (request: OutboundRequest, limits: OutboundLimits) =>
    call({ resolve, openSocket, isAllowed }, request, limits);
  const callPublic = createCall(() => false);
  const isAllowed = createAllowList(options.allowedHosts);
  return {
    call: createCall(isAllowed),
    open: (url, { connections }) => openSession({ resolve, openSocket, isAllowed }, url, connections),
    fetchImage: (url, expectations = {}) => fetchImage(callPublic, url, expectations),
  };
}

async function call(
  { resolve, openSocket, isAllowed }: Transport,
  request: OutboundRequest,
  { signal, maxBytes, timeoutMs }: OutboundLimits,
): Promise<OutboundResponse> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const deadline = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  let mayHaveBeenSent = false;
  const onConnected = () => {
    mayHaveBeenSent = true;
  };
  try {
    const destination = await untilAborted(deadline, resolveDestination(request.url, resolve, isAllowed));
    return await exchange(destination, request, { openSocket, maxBytes, deadline, onConnected });
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    if (cause instanceof OutboundError) {
      const { kind, connectionFailed } = cause;
      throw new OutboundError({ cause, kind, connectionFailed, mayHaveBeenSent });
    }
    const timedOut = timeout.aborted;
    throw new OutboundError({ cause, connectionFailed: !timedOut, timedOut, mayHaveBeenSent });
  }
}

/** A new connection each time, so that no check of one request applies to another. */
async function exchange(
  destination: Destination,
  request: OutboundRequest,
  {
    openSocket,
    maxBytes,
    deadline,
    onConnected,
  }: { openSocket: OpenSocket; maxBytes: number; deadline: AbortSignal; onConnected(): void },
): Promise<OutboundResponse> {
  const { Client } = loadUndici();
  const client = new Client(destination.url.origin, {
    pipelining: 1,
    connect: (_, connected) => {
      connectTo(destination, openSocket, deadline).then(
        (socket) => {
          onConnected();
          connected(null, socket);
        },
        (error: Error) => connected(error, null),
      );
    },
  });
  try {
    return await send(client, destination.url, request, { maxBytes, deadline });
  } finally {
    await client.destroy();
  }
}

async function send(
  dispatcher: Dispatcher,
  url: URL,
  { method, headers, body }: Omit<OutboundRequest, 'url'>,
  { maxBytes, deadline }: { maxBytes: number; deadline: AbortSignal },
): Promise<OutboundResponse> {
  const response = await dispatcher.request({
    method,
    path: `${url.pathname}${url.search}`,
    headers: encodeHeaders(headers),
    signal: deadline,
    ...(body === undefined ? {} : { body }),
  });
  const encoding = response.headers['content-encoding'];
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await readBody(response.body, Array.isArray(encoding) ? encoding.join() : encoding, maxBytes),
  };
}

/** undici takes one character per byte. */
function encodeHeaders(headers: OutboundRequest['headers']): Record<string, string> {
  const isReadable = ([name, value]: [string, string]) =>
    name.toLowerCase() !== 'accept-encoding' || acceptsReadableEncodings(value);
  const entries = Object.entries(headers).filter(isReadable);
  const isGiven = entries.some(([name]) => name.toLowerCase() === 'accept-encoding');
  if (!isGiven) entries.push(['accept-encoding', acceptedEncodings]);
  return Object.fromEntries(entries.map(([name, value]) => [name, Buffer.from(value).toString('latin1')]));
}

const openTcp: OpenSocket = (address, port) => connect({ host: address, port });

const acceptedEncodings = 'gzip, deflate, br';

/** Reads and decompresses a body. Rejects when it has more than `maxBytes`, compressed or not. */
async function readBody(
  body: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const unpack = unpacking(contentEncoding);
  const packed = limited(maxBytes);
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of limited(maxBytes)(source)) chunks.push(chunk);
  };
  // A pipeline costs several times the reading of a short body.
  if (unpack === null) await collect(body);
  else await pipeline(body, packed, unpack, collect);
  return Buffer.concat(chunks);
}

const unpackers = new Map([
  ['', null],
  ['identity', null],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Returns whether `readBody` can read every encoding of an `Accept-Encoding`, except those with `q=0`. */
const acceptsReadableEncodings = (value: string): boolean =>
  value.split(',').every((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return unpackers.has(coding) || parameters.some((each) => /^q=0(\.0*)?$/.test(each));
  });

function unpacking(contentEncoding = 'identity') {
  const unpacker = unpackers.get(contentEncoding.trim().toLowerCase());
  if (unpacker === undefined) throw outboundFailure('unreachable', `content encoding ${contentEncoding}`);
  return unpacker === null ? null : unpacker();
}

const limited = (maxBytes: number) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw outboundFailure('too_large', `more than ${maxBytes} bytes`);
      yield chunk;
    }
  };

const timeoutMs = 2_500;

/**
 * Resolves allowed names like the operating system, which may know them without DNS. Others go to its DNS servers: `lookup`
 * uses two threads of the process, and names whose servers do not respond would occupy them for 10 s each.
 */
export function createResolve({ servers }: { servers?: readonly string[] } = {}): Resolve {
  return async (hostname, { allowed }) => {
    if (allowed) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    // A new one knows the servers that the operating system uses now.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason;
    return addresses;
  };
}
