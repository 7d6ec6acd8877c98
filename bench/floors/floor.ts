import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

/** Returns the value that is sent as JSON. */
type Handler = (pool: pg.Pool, request: { url: string; body: string }) => Promise<unknown>;

/**
 * The minimal cost of an operation: `node:http` and `pg` with named statements and as many connections as Parley, without
 * checks and logs. Prints its address and serves until SIGTERM.
 */
export function serveFloor(handle: Handler): void {
  const pool = new pg.Pool({
    connectionString: process.env['DATABASE_URL'],
    max: Number(process.env['DATABASE_POOL_SIZE']),
  });
  const server = createServer(async (request, response) => {
    try {
      const body = request.method === 'POST' ? await read(request) : '';
      const text = JSON.stringify(await handle(pool, { url: request.url ?? '', body }));
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    } catch (error) {
      process.stderr.write(`${error}\n`);
      response.writeHead(500).end();
    }
  });
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on a port has an IP address.
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ api: `http://127.0.0.1:${port}` })}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}

function read(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let body = '';
  request
    .setEncoding('utf8')
    .on('data', (part: string) => {
      body += part;
    })
    .once('end', () => resolve(body))
    .once('error', reject);
  return promise;
}
