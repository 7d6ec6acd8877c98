import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { newId } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import { badRequest } from './errors.ts';
import type { App } from './fastify-app.ts';

export type ConnectionLimits = typeof connectionLimits;

/** Times are in milliseconds. */
export const connectionLimits = {
  /** Enough for 20 MiB at 3 Mbit/s. */
  requestTimeout: 60_000,
  /** Longer than the 60 s that load balancers usually use. */
  keepAliveTimeout: 65_000,
  http: {
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16 * 1024,
    /** The app rejects a missing Host header itself, with the error envelope. */
    requireHostHeader: false,
    /** Node would keep the first of repeated headers. Joined, a repeated Host is malformed. */
    joinDuplicateHeaders: true,
  },
};

export const maxPipelined = 32;

/** Closes a connection with too many pipelined requests. Node starts them all at once, so one client could start thousands. */
export function limitPipelining(app: App): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    if (reply.raw.socket !== null) return done();
    const before = waiting.get(socket) ?? 0;
    if (before < maxPipelined && !socket.destroyed) {
      waiting.set(socket, before + 1);
      reply.raw.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
      return done();
    }
    socket.destroy();
    reply.hijack();
  });
}

const unreadableMessages = {
  headers_too_large: `The headers are larger than ${connectionLimits.http.maxHeaderSize / 1024} KiB; send fewer or shorter ones`,
  request_timeout: 'The request arrived too slowly; retry over a faster connection',
  malformed_request: 'The request is not valid HTTP; check the client or the proxy',
};
type UnreadableReason = keyof typeof unreadableMessages;

const reasonsByCode: Record<string, UnreadableReason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

export const createClientErrorHandler =
  (logger: Pick<Logger, 'info'>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable) {
      socket.write(toHttpText(reject(logger, reasonsByCode[error.code ?? ''] ?? 'malformed_request')));
    }
    socket.destroy();
  };

/** Rejects CONNECT and unknown expectations. Node would respond to them without the error envelope. */
export function rejectUnsupportedRequests(server: Server, logger: Pick<Logger, 'info'>): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = reject(logger, 'malformed_request');
    response.writeHead(status, headers).end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    socket.end(toHttpText(reject(logger, 'malformed_request')));
  });
}

interface Rejection {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function reject(logger: Pick<Logger, 'info'>, reason: UnreadableReason): Rejection {
  const { status, code, message, details } = badRequest(reason, unreadableMessages[reason]);
  const body = JSON.stringify({ success: false, error: message, code, details });
  const reqId = newId();
  logger.info({ reqId, route: 'unknown', status, reason }, 'request');
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': reqId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    connection: 'close',
  };
  return { status, headers, body };
}

function toHttpText({ status, headers, body }: Rejection): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
