import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { newId } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import type { App } from './app.ts';
import { badRequest } from './errors.ts';

export type ConnectionLimits = typeof connectionLimits;

/** A client that dawdles costs a socket until the head is due; it never occupies what serves the others. */
export const connectionLimits = {
  /** Milliseconds for a whole request, its body included: 20 MiB at 3 Mbit/s. */
  requestTimeout: 60_000,
  /** Milliseconds a connection may rest between requests: longer than the minute usual in load balancers. */
  keepAliveTimeout: 65_000,
  http: {
    /** Milliseconds for the request line and the headers, from the connection's begin. */
    headersTimeout: 10_000,
    /** Milliseconds between two looks at the connections, and so what the limits above may be exceeded by. */
    connectionsCheckingInterval: 5_000,
    /** Bytes of request line and headers together. */
    maxHeaderSize: 16 * 1024,
    /** Node would answer a request without Host itself, and in words of its own. */
    requireHostHeader: false,
  },
};

/** Open connections of one process; beyond it the newest are closed at once. A connection costs some 10 KiB. */
export const maxConnections = 10_000;

/** Requests of one connection that wait for the answers before them. Hardly a client sends what it has no answer for. */
export const maxPipelined = 32;

/**
 * Closes a connection on which more requests wait than may. All that a connection brings is begun at once, and a request
 * of forty bytes costs its sender nothing: without a bound, one connection holds thousands.
 */
export function limitPipelining(app: App): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    // An answer has the connection when it is its turn; nearly every one has it at once.
    if (reply.raw.socket !== null) return done();
    const before = waiting.get(socket) ?? 0;
    if (before < maxPipelined && !socket.destroyed) {
      waiting.set(socket, before + 1);
      reply.raw.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
      return done();
    }
    // Of what had come with it the rest is dropped likewise: nobody is there to be answered.
    socket.destroy();
    reply.hijack();
  });
}

const reasons: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what is not HTTP, or not in time, with the error envelope, and closes the connection. */
export const createClientErrorHandler =
  (logger: Pick<Logger, 'info'>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable) {
      socket.write(written(refuse(logger, reasons[error.code ?? ''] ?? 'malformed_request')));
    }
    socket.destroy();
  };

/** Answers what Node would otherwise answer itself: an expectation it does not know, and CONNECT. */
export function rejectUnsupportedRequests(server: Server, logger: Pick<Logger, 'info'>): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = refuse(logger, 'malformed_request');
    response.writeHead(status, headers).end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    socket.end(written(refuse(logger, 'malformed_request')));
  });
}

interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The answer to what never became a request, and the log line that bears its id. */
function refuse(logger: Pick<Logger, 'info'>, reason: string): Refusal {
  const { status, code, message, details } = badRequest(reason, 'The request could not be read');
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

function written({ status, headers, body }: Refusal): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
