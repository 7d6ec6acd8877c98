import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { smallRequestLimits } from '../shared/listening.ts';
import type { ErrorReason } from './error-reasons.ts';
import { readRequestId } from './request-id.ts';

const unavailable = JSON.stringify({
  success: false,
  error: 'This process is starting; try again',
  code: 'INTERNAL_ERROR',
  details: { reason: 'starting' satisfies ErrorReason },
});

const respond: RequestListener = (request, response) => {
  const isHealth = request.method === 'GET' && request.url?.split('?')[0] === '/healthz';
  response.writeHead(isHealth ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': readRequestId(request.headers),
    connection: 'close',
    ...(isHealth ? {} : { 'retry-after': '1' }),
  });
  response.end(isHealth ? JSON.stringify({ status: 'starting' }) : unavailable);
};

/** Serves the port of the api while it waits for the database: `/healthz` reports `starting`, other paths get 503. */
export async function startStartingListener(address: {
  host: string;
  port: number;
}): Promise<{ close(): Promise<void> }> {
  const server = createServer({ requestTimeout: smallRequestLimits.requestTimeout }, respond);
  server.listen(address);
  await once(server, 'listening');
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
