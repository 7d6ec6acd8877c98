import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

/** Answers a request with the value that becomes its JSON. */
type Answer = (pool: pg.Pool, request: { url: string; body: string }) => Promise<unknown>;

/**
 * The least that an operation can cost: `node:http`, `pg` with named statements and as many connections as Parley has,
 * nothing checked, nothing logged. Writes its address and serves until it is told to stop.
 */
export function serveFloor(answer: Answer): void {
  const pool = new pg.Pool({
    connectionString: process.env['DATABASE_URL'],
    max: Number(process.env['DATABASE_POOL_SIZE']),
  });
  const server = createServer(async (request, response) => {
    try {
      const body = request.method === 'POST' ? await read(request) : '';
      const text = JSON.stringify(await answer(pool, { url: request.url ?? '', body }));
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    } catch (error) {
      process.stderr.write(`${error}\n`);
      response.writeHead(500).end();
    }
  });
  server.listen(0, '127.0.0.1', () => {
    // Listening on a port, its address is one of IP.
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
