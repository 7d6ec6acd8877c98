import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createLogger } from '../src/platform/shared/logger.ts';
import { readConfig } from '../src/process/config.ts';
import { startRoles } from '../src/process/start.ts';
import { eventually } from './eventually.ts';
import { testEncryptionKey } from './harness.ts';
import { createTestDatabase } from './test-database.ts';

const database = await createTestDatabase();
const dataDir = await mkdtemp(join(tmpdir(), 'parley-browsers-'));
const started = new AsyncDisposableStack();
after(async () => {
  await started.disposeAsync();
  await rm(dataDir, { recursive: true });
  await database.drop();
});

const logged: string[] = [];
const addresses = await startRoles({
  config: readConfig({
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString('base64'),
    BOOTSTRAP_KEY_ID: 'pk_browsers',
    BOOTSTRAP_KEY_SECRET: 'sk_browsers',
    BASE_URL: 'http://laptop.example:3000',
    ALLOWED_HOSTS: 'Parley.example.com, my_service',
  }),
  logger: createLogger('warn', { write: (line) => logged.push(line) }),
  started,
});

const { api = '', pool = '', metrics = '', simulator = '' } = addresses;

interface Sent {
  method?: string;
  /** Names and values alternate. A host is added unless it is among them. */
  headers?: readonly string[];
  body?: object;
}

/** Returns status, body and `details.reason` of the response. An accepted WebSocket has status 101. */
async function send(url: string, { method = 'GET', headers = [], body }: Sent = {}) {
  const { hostname, port, pathname, search, host } = new URL(url);
  const answer = Promise.withResolvers<{ status: number; body: string; reason: string | undefined }>();
  const type = body === undefined ? [] : ['content-type', 'application/json'];
  const sent = request({
    hostname,
    port,
    method,
    path: `${pathname}${search}`,
    agent: false,
    headers: [...(headers.includes('host') ? [] : ['host', host]), ...type, ...headers],
  });
  sent.once('error', answer.reject);
  sent.once('upgrade', (_response, socket) => {
    socket.destroy();
    answer.resolve({ status: 101, body: '', reason: undefined });
  });
  sent.once('response', async (response) => {
    const received = await text(response);
    const json = received.startsWith('{') ? JSON.parse(received) : {};
    answer.resolve({ status: response.statusCode ?? 0, body: received, reason: json.details?.reason });
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return answer.promise;
}

const upgrade = [
  ...['connection', 'Upgrade', 'upgrade', 'websocket'],
  ...['sec-websocket-version', '13', 'sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

const message = { from: '+15550199', to: '+15550100', text: 'Hello' };

/** Requests that a page can send. Without the checks, each would be served or fail for another reason. */
const requests: { what: string; url: string; sent: Sent; checksOrigin: boolean }[] = [
  { what: 'the API', url: `${api}/api/openapi/v1/teams`, sent: {}, checksOrigin: false },
  {
    what: 'the token endpoint',
    url: `${api}/api/openapi/auth/token`,
    sent: { method: 'POST', body: {} },
    checksOrigin: false,
  },
  { what: 'the reference page', url: `${api}/api/openapi/reference`, sent: {}, checksOrigin: false },
  { what: 'an unknown route', url: `${api}/nothing`, sent: {}, checksOrigin: false },
  { what: 'metrics of the api', url: `${api}/metrics`, sent: {}, checksOrigin: true },
  { what: 'metrics of the pool', url: `${pool}/metrics`, sent: {}, checksOrigin: true },
  { what: 'metrics on METRICS_PORT', url: `${metrics}/metrics`, sent: {}, checksOrigin: true },
  { what: 'a drain', url: `${pool}/drain`, sent: { method: 'POST' }, checksOrigin: true },
  ...[api, simulator].flatMap((base) => [
    { what: 'the chat page', url: `${base}/simulator`, sent: {}, checksOrigin: true },
    {
      what: 'a message to the simulator',
      url: `${base}/simulator/messages`,
      sent: { method: 'POST', body: message },
      checksOrigin: true,
    },
    { what: 'the linked phones', url: `${base}/simulator/phones`, sent: {}, checksOrigin: true },
  ]),
  {
    what: 'a WebSocket of a device',
    url: `${simulator}/devices`,
    sent: { headers: upgrade },
    checksOrigin: true,
  },
];

test('refuses a page on a name that DNS has pointed at this machine', async () => {
  for (const { what, url, sent } of requests) {
    const host = `rebound.example:${new URL(url).port}`;
    const headers = ['host', host, 'origin', `http://${host}`, ...(sent.headers ?? [])];
    const refused = await send(url, { ...sent, headers });
    assert.equal(refused.status, 400, `${what} at ${url}: ${refused.body}`);
    if (sent.headers === undefined) assert.equal(refused.reason, 'host_not_allowed', what);
  }
});

test('refuses pages of other sites under /simulator and /metrics, and WebSockets of other origins', async () => {
  for (const { what, url, sent } of requests.filter(({ checksOrigin }) => checksOrigin)) {
    for (const extra of [
      ['origin', 'http://evil.example', 'sec-fetch-site', 'cross-site'],
      ['origin', 'http://localhost:1', 'sec-fetch-site', 'same-site'],
      ['origin', 'null'],
      ['sec-fetch-site', 'cross-site', 'sec-fetch-mode', 'no-cors'],
    ]) {
      const refused = await send(url, { ...sent, headers: [...extra, ...(sent.headers ?? [])] });
      assert.equal(refused.status, 403, `${what} at ${url} from ${extra}: ${refused.body}`);
      if (sent.headers === undefined) assert.equal(refused.reason, 'origin_not_allowed', what);
    }
  }
});

test('serves its own pages and programs', async () => {
  for (const { what, url, sent } of requests) {
    const { host } = new URL(url);
    for (const extra of [[], ['origin', `http://${host}`, 'sec-fetch-site', 'same-origin']]) {
      const { status, reason } = await send(url, { ...sent, headers: [...extra, ...(sent.headers ?? [])] });
      assert.ok(status !== 403 && !['host_not_allowed', 'malformed_request'].includes(reason ?? ''), what);
    }
  }
  assert.equal((await send(`${api}/simulator/phones`)).status, 200);
  assert.equal((await send(`${simulator}/devices`, { headers: upgrade })).status, 101);
});

test('a phone can use the chat page under BASE_URL', async () => {
  const host = 'laptop.example:3000';
  const page = await send(`${api}/simulator?qr=x`, { headers: ['host', host, 'sec-fetch-site', 'none'] });
  assert.equal(page.status, 200);
  const scan = await send(`${api}/simulator/scan`, {
    method: 'POST',
    headers: ['host', host, 'origin', `http://${host}`, 'sec-fetch-site', 'same-origin'],
    body: { qr: 'x', phone_number: '+15550100' },
  });
  assert.equal(scan.reason, 'qr_unknown');
});

test('accepts ALLOWED_HOSTS and addresses, and every host for health checks', async () => {
  for (const host of ['parley.example.com', 'MY_SERVICE:80', '192.168.1.20:3000', '[::1]'])
    assert.equal((await send(`${api}/api/openapi/openapi.json`, { headers: ['host', host] })).status, 200);
  const probe = async (path: string) =>
    (await send(`${api}${path}`, { headers: ['host', 'probe.example'] })).status;
  assert.equal(await probe('/healthz'), 200);
  await eventually(async () => assert.equal(await probe('/readyz'), 200));
});

test('serves metrics without METRICS_TOKEN only under a loopback host', async () => {
  for (const url of [`${api}/metrics`, `${metrics}/metrics`]) {
    assert.equal((await send(url, { headers: ['host', 'localhost'] })).status, 200);
    for (const host of ['192.168.1.20', 'parley.example.com'])
      assert.equal((await send(url, { headers: ['host', host] })).status, 404, `${url} ${host}`);
  }
  assert.equal((await send(`${pool}/metrics`, { headers: ['host', 'parley.example.com'] })).status, 401);
});

test('refuses a repeated and an empty Host header on every route', async () => {
  for (const headers of [
    ['host', 'localhost', 'host', 'localhost'],
    ['host', 'localhost', 'host', 'rebound.example'],
    ['host', ''],
  ]) {
    for (const url of [`${api}/healthz`, `${api}/metrics`, `${pool}/drain`, `${simulator}/simulator/phones`])
      assert.equal((await send(url, { headers })).status, 400, `${url} ${headers}`);
  }
});

test('logs once that a peer which is no trusted proxy sends X-Forwarded-For', async () => {
  for (const client of ['192.0.2.1', '192.0.2.2'])
    await send(`${api}/healthz`, { headers: ['x-forwarded-for', client] });
  const warnings = logged.filter((line) => line.includes('X-Forwarded-For'));
  assert.equal(warnings.length, 1);
  assert.equal(JSON.parse(warnings[0] ?? '{}').peer, '127.0.0.1');
});
