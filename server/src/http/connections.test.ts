import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startTestApp } from '../../test/harness.ts';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { connectionLimits } from './connections.ts';
import { healthRoutes } from './health.routes.ts';

/** Milliseconds: short enough to wait for, long enough for a loaded machine to answer others meanwhile. */
const headersTimeout = 2000;

const app = await createApp({
  logger: createLogger('silent'),
  authenticate: () => null,
  requestRate: null,
  corsOrigins: [],
  routes: [healthRoutes({ ready: async () => true })],
  connections: {
    ...connectionLimits,
    http: { ...connectionLimits.http, headersTimeout, connectionsCheckingInterval: 100 },
  },
});
await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());
// Listening on an address and a port, the server has one.
const { port } = app.server.address() as AddressInfo;

async function open(firstBytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(firstBytes);
  return socket;
}

async function answerTo(bytes: string) {
  const [head = '', body = ''] = (await text(await open(bytes))).split('\r\n\r\n');
  return { head, body: JSON.parse(body) };
}

test('what is not HTTP, or too long to be, is answered in the error envelope', async () => {
  const malformed = await answerTo('NONSENSE\r\n\r\n');
  assert.match(malformed.head, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(malformed.head, /^x-request-id: [0-9a-f-]{36}$/m);
  assert.deepEqual(malformed.body, {
    success: false,
    error: 'The request could not be read',
    code: 'BAD_REQUEST',
    details: { reason: 'malformed_request' },
  });
  const overlong = await answerTo(`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
  assert.equal(overlong.body.details.reason, 'headers_too_large');
});

test('hundreds of clients that never finish their headers keep nobody waiting, and are cut off', async () => {
  const slow = await Promise.all(Array.from({ length: 400 }, () => open('GET /healthz HTTP/1.1\r\nx: ')));
  const answers = slow.map((socket) => text(socket));
  const began = performance.now();
  for (let i = 0; i < 20; i++) {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal(response.status, 200);
  }
  assert.ok(performance.now() - began < headersTimeout, 'served before the slow ones are gone');
  for (const answer of await Promise.all(answers)) assert.match(answer, /"reason":"request_timeout"/);
});

test('a path that cannot be decoded or is too long names nothing, and asks for a token first', async () => {
  const { api } = await startTestApp();
  for (const id of ['%zz', '%ff', '%', 'x'.repeat(5000)]) {
    assert.equal((await api('GET', `/teams/${id}`, { token: null })).status, 401, id);
    const { status, body } = await api('GET', `/teams/${id}`);
    assert.equal(status, 404, id);
    assert.equal(body.details.reason, 'team_not_found');
  }
});

test('no answer may be sniffed or kept', async () => {
  for (const path of ['/healthz', '/api/openapi/v1/teams', '/nothing']) {
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('cache-control'), 'no-store', path);
  }
});
