import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';
import { getPort } from '../shared/listening.ts';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { connectionLimits, maxPipelined } from './connections.ts';
import { healthRoutes } from './health.routes.ts';

/** Milliseconds. Long enough for a loaded machine to answer other requests. */
const headersTimeout = 2000;

const logged: string[] = [];
let ready = Promise.resolve(true);

const app = await createApp({
  logger: createLogger('info', { write: (line) => logged.push(line) }),
  trustedProxies: [],
  authenticate: () => null,
  requestRate: null,
  corsOrigins: [],
  routes: [healthRoutes({ ready: () => ready })],
  connections: {
    ...connectionLimits,
    http: { ...connectionLimits.http, headersTimeout, connectionsCheckingInterval: 100 },
  },
});
await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());
const port = getPort(app.server);

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

test('responds to malformed and oversized requests with the error envelope', async () => {
  const malformed = await answerTo('NONSENSE\r\n\r\n');
  assert.match(malformed.head, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(malformed.head, /^x-request-id: [0-9a-f-]{36}$/m);
  assert.deepEqual(malformed.body, {
    success: false,
    error: 'The request is not valid HTTP; check the client or the proxy',
    code: 'BAD_REQUEST',
    details: { reason: 'malformed_request' },
  });
  const overlong = await answerTo(`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`);
  assert.equal(overlong.body.details.reason, 'headers_too_large');
  assert.equal(overlong.body.error, 'The headers are larger than 16 KiB; send fewer or shorter ones');
});

test('responds with the error envelope where Node would respond itself', async () => {
  for (const bytes of [
    'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
    'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
  ]) {
    const { head, body } = await answerTo(bytes);
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/, bytes);
    assert.match(head, /^x-request-id: [0-9a-f-]{36}\r?$/m, bytes);
    assert.equal(body.details.reason, 'malformed_request', bytes);
  }
});

test('logs the request id of a malformed request', async () => {
  for (const bytes of ['NONSENSE\r\n\r\n', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n']) {
    const { head } = await answerTo(bytes);
    const id = /^x-request-id: ([0-9a-f-]{36})\r?$/m.exec(head)?.[1] ?? '';
    const [line = '{}', ...more] = logged.filter((written) => written.includes(id));
    const { reqId, status, reason } = JSON.parse(line);
    assert.deepEqual([reqId, status, reason], [id, 400, 'malformed_request']);
    assert.deepEqual(more, []);
  }
});

test('serves other clients and disconnects hundreds that never finish their headers', async () => {
  const slow = await Promise.all(Array.from({ length: 500 }, () => open('GET /healthz HTTP/1.1\r\nx: ')));
  const answers = slow.map((socket) => text(socket));
  const began = performance.now();
  for (let i = 0; i < 20; i++) {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal(response.status, 200);
  }
  assert.ok(performance.now() - began < headersTimeout, 'served before the slow ones are gone');
  for (const answer of await Promise.all(answers)) assert.match(answer, /"reason":"request_timeout"/);
});

test('answers pipelined requests in order and closes a connection with too many', async () => {
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
  const answersWith = async (waiting: number) => {
    const gate = Promise.withResolvers<boolean>();
    ready = gate.promise;
    const last = get('/nothing', 'Connection: close\r\n');
    const socket = await open(get('/readyz') + get('/nothing').repeat(waiting - 1) + last);
    const answers = text(socket);
    // Node reads later connections later, so the requests of the first one have started.
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    gate.resolve(true);
    return (await answers.catch(() => '')).match(/HTTP\/1\.1 \d+/g) ?? [];
  };
  const all = ['HTTP/1.1 200', ...Array(maxPipelined).fill('HTTP/1.1 404')];
  assert.deepEqual(await answersWith(maxPipelined), all);
  assert.deepEqual(await answersWith(maxPipelined + 1), []);
});

test('returns 401 and then 404 for a path that is undecodable or too long', async () => {
  const { api } = await startTestApp();
  for (const id of ['%zz', '%ff', '%', 'x'.repeat(5000)]) {
    assert.equal((await api('GET', `/teams/${id}`, { token: null })).status, 401, id);
    const { status, body } = await api('GET', `/teams/${id}`);
    assert.equal(status, 404, id);
    assert.equal(body.details.reason, 'team_not_found');
    // The query stays as it was sent.
    const query = 'since=2100-01-01T00%3A00%3A00Z';
    assert.equal((await api('GET', `/conversations/${id}/messages?${query}`)).status, 404, id);
  }
});

test('requires a token for every spelling of a path', async () => {
  const { api } = await startTestApp({ routes: () => [] });
  for (const path of ['/api/openapi/%761/nothing', '/api/openapi/v1/nothing', '/api/%6fpenapi/v1']) {
    assert.equal((await api('GET', path, { token: null })).status, 401, path);
  }
});

test('returns 404 for a path with an empty id', async () => {
  const { api } = await startTestApp();
  for (const [method, path] of [
    ['GET', '/teams/'],
    ['POST', '/bots//publish'],
    ['DELETE', '/api-keys/'],
  ] as const) {
    const { status, body } = await api(method, path);
    assert.equal(status, 404, path);
    assert.equal(body.details.reason, 'route_not_found', path);
    assert.equal((await api(method, path, { token: null })).status, 401, path);
  }
});

test('rejects Content-Encoding unless the body is empty or the encoding is identity', async () => {
  const { api } = await startTestApp();
  const post = (headers: Record<string, string>, body?: unknown) => api('POST', '/teams', { headers, body });
  const encoded = await post({ 'content-encoding': 'gzip' }, {});
  assert.equal(encoded.status, 400);
  assert.equal(encoded.body.details.reason, 'content_type');
  const form = new FormData();
  form.set('team_id', 'x');
  const upload = await api('POST', '/documents', { headers: { 'content-encoding': 'br' }, body: form });
  assert.equal(upload.body.details.reason, 'content_type');
  assert.equal((await post({ 'content-encoding': 'Identity' }, {})).body.details.reason, 'validation');
  assert.equal((await api('GET', '/teams', { headers: { 'content-encoding': 'gzip' } })).status, 200);
});

test('sends nosniff and no-store with every response', async () => {
  for (const path of ['/healthz', '/api/openapi/v1/teams', '/nothing']) {
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('cache-control'), 'no-store', path);
  }
});
