import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { after } from 'node:test';
import { getUrl } from '../../server/src/platform/shared/listening.ts';

/**
 * `refuse` does not forward the request. `lose` forwards it and cuts the connection instead of passing the response on.
 * `hang` never responds.
 */
type Fault =
  | { kind: 'refuse'; status: number; headers?: Record<string, string>; body?: string }
  | { kind: 'lose' }
  | { kind: 'hang' };

interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  at: number;
}

export interface FaultyProxy {
  url: string;
  /** All requests since the start. */
  seen: Seen[];
  /** Each of the next requests with this path has one of the faults. */
  fail(path: string, ...faults: Fault[]): void;
  /** Cuts the open streams of events, in the middle of a message. */
  cutStreams(): void;
}

/** Starts a proxy before the service. It stops after the file's tests. */
export async function startFaultyProxy(serviceUrl: string): Promise<FaultyProxy> {
  const faults = new Map<string, Fault[]>();
  const seen: Seen[] = [];
  const streams = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    seen.push({ method: request.method ?? '', path, headers: request.headers, at: performance.now() });
    const fault = faults.get(path)?.shift();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'refuse') {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? 'not JSON');
      return;
    }
    await forward(serviceUrl, request, response, { loseResponse: fault?.kind === 'lose', streams });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: getUrl('127.0.0.1', server),
    seen,
    fail: (path, ...list) => faults.set(path, list),
    cutStreams() {
      for (const stream of streams) stream.write('id: half-a-curs', () => stream.destroy());
    },
  };
}

async function forward(
  serviceUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  { loseResponse, streams }: { loseResponse: boolean; streams: Set<ServerResponse> },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const { method = 'GET', url = '/' } = request;
  const answer = await fetch(serviceUrl + url, {
    method,
    headers: headers as Record<string, string>,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') && answer.body !== null) {
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    streams.add(response);
    await pipeline(answer.body, response).catch(() => undefined);
    streams.delete(response);
    return;
  }
  const body = Buffer.from(await answer.arrayBuffer());
  if (loseResponse) {
    response.destroy();
    return;
  }
  const { 'content-encoding': ____, 'content-length': _____, ...passed } = Object.fromEntries(answer.headers);
  response.writeHead(answer.status, passed).end(body);
}
