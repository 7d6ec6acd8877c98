import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { ApiRequest, Upload } from './requests.ts';

/** An encoded request. */
export interface WireRequest {
  method: string;
  /** Path and query of the request line. */
  target: string;
  /** Alternating names and values. A name may occur more than once. */
  headers: readonly string[];
  body: Uint8Array | null;
}

export interface WireResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body of a JSON response. */
  json: unknown;
}

export function encodeRequest(request: ApiRequest, token: string | null): WireRequest {
  const body = request.upload === null ? jsonBody(request.body) : multipartBody(request.upload);
  return {
    method: request.operation.method,
    target: toTarget(request),
    headers: [
      ...(token === null ? [] : ['authorization', `Bearer ${token}`]),
      ...(body === null ? [] : ['content-type', body.type]),
      ...Object.entries(request.headers).flat(),
    ],
    body: body?.bytes ?? null,
  };
}

function toTarget({ operation, path, query }: ApiRequest): string {
  const pathname = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return search === '' ? pathname : `${pathname}?${search}`;
}

/** Lone surrogates cannot be encoded. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const jsonBody = (body: unknown) =>
  body === undefined ? null : { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };

/** Escapes quotes like a browser. */
const quoted = (name: string): string => name.replaceAll('"', '%22');

const boundary = 'parley-boundary-3f1c';

function multipartBody({ fields, files }: Upload) {
  const parts = [
    ...fields.map(([name, value]) => [
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ]),
    ...files.map(({ part, name, bytes }) => [
      `--${boundary}\r\ncontent-disposition: form-data; name="${part}"; filename="${quoted(name)}"\r\n` +
        'content-type: application/octet-stream\r\n\r\n',
      bytes,
      '\r\n',
    ]),
    [`--${boundary}--\r\n`],
  ].flat();
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  };
}

/** Sends encoded requests over keep-alive connections. */
export interface Wire {
  send(request: WireRequest): Promise<WireResponse>;
  close(): void;
}

/** Longer than the slowest operation. */
const responseTimeoutMs = 40_000;

export function openWire(baseUrl: string, connections = 4): Wire {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(baseUrl);
  return {
    send: ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body === null ? [] : ['content-length', String(body.length)];
        const outgoing = httpRequest({
          agent,
          hostname,
          port,
          method,
          path: target,
          headers: ['host', `${hostname}:${port}`, ...headers, ...length],
          timeout: responseTimeoutMs,
        });
        outgoing.once('timeout', () =>
          outgoing.destroy(new Error(`no response within ${responseTimeoutMs} ms`)),
        );
        outgoing.once('error', reject);
        outgoing.once('response', (incoming) => {
          // An event stream does not end, so only the headers are read.
          if (incoming.headers['content-type']?.startsWith('text/event-stream') === true) {
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text: '',
              json: undefined,
            });
            incoming.destroy();
            return;
          }
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.once('error', reject);
          incoming.once('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text,
              json: isJson && text !== '' ? JSON.parse(text) : undefined,
            });
          });
        });
        outgoing.end(body ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}
