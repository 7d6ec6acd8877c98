import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { deviceToken, isDeviceToken } from '../devices/device-token.ts';
import { createEncryption } from '../platform/shared/encryption.ts';
import { createHosts } from '../platform/shared/hosts.ts';
import { newId } from '../platform/shared/ids.ts';
import { startInternalInterface } from './internal-interface.ts';
import { poolKey } from './pool-key.ts';

const encryption = createEncryption(Buffer.alloc(32, 3));
const hosted = newId();
const elsewhere = newId();
const woken: string[] = [];
const pool = await startInternalInterface({
  host: '127.0.0.1',
  port: 0,
  encryption,
  isDeviceToken: async (deviceId, token) => isDeviceToken(encryption, { deviceId, generation: 0 }, token),
  expose: async ({ headers }) =>
    headers.authorization === 'Bearer scrape'
      ? { contentType: 'text/plain', text: 'parley_sessions 1' }
      : null,
  hosts: createHosts([]),
  view: {
    getState: async (id) => (id === hosted ? { device_id: id, status: 'started', connected: true } : null),
    wake: (id) => woken.push(id),
    drain: async () => ({ draining: true, devices: 7, connected: 5 }),
  },
});
after(() => pool.close());

const call = (method: string, path: string, token?: string) =>
  fetch(pool.url + path, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

test("accepts a device's token for its state and its wake-up", async () => {
  const token = deviceToken(encryption, hosted);
  const state = await call('GET', `/devices/${hosted}`, token);
  assert.deepEqual(await state.json(), {
    success: true,
    data: { device_id: hosted, status: 'started', connected: true },
  });
  assert.equal((await call('POST', `/devices/${hosted}/wake`, token)).status, 200);
  assert.deepEqual(woken, [hosted]);
});

test('accepts the pool key for a drain, but not for a device', async () => {
  const key = poolKey(encryption);
  const drained = await call('POST', '/drain', key);
  assert.deepEqual(await drained.json(), {
    success: true,
    data: { draining: true, devices: 7, connected: 5 },
  });
  assert.equal((await call('GET', `/devices/${hosted}`, key)).status, 401);
  assert.equal((await call('GET', '/nothing', key)).status, 404);
});

test('exposes metrics to allowed readers', async () => {
  const read = await call('GET', '/metrics', 'scrape');
  assert.deepEqual([read.status, await read.text()], [200, 'parley_sessions 1']);
});

test('returns 404 for a device of another pool', async () => {
  assert.equal((await call('GET', `/devices/${elsewhere}`, deviceToken(encryption, elsewhere))).status, 404);
});

test('returns the same 401 for a missing token, a wrong one and that of another device', async () => {
  const answers = await Promise.all([
    call('GET', `/devices/${hosted}`),
    call('GET', `/devices/${hosted}`, 'dt_wrong'),
    call('GET', `/devices/${hosted}`, deviceToken(encryption, elsewhere)),
    call('POST', `/devices/${hosted}/wake`, deviceToken(encryption, elsewhere)),
    call('GET', '/devices/not-a-device', deviceToken(encryption, hosted)),
    call('GET', '/nothing'),
    call('POST', '/drain'),
    call('GET', '/metrics', poolKey(encryption)),
    call('POST', '/drain', 'pool_wrong'),
    call('POST', '/drain', poolKey(createEncryption(Buffer.alloc(32, 4)))),
    call('POST', '/drain', deviceToken(encryption, hosted)),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 401),
  );
  assert.equal(new Set(await Promise.all(answers.map((answer) => answer.text()))).size, 1);
});

test('ends an unfinished request after about 10 s', async () => {
  const { hostname, port } = new URL(pool.url);
  const began = performance.now();
  const head = `POST /drain HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${poolKey(encryption)}\r\n`;
  const unfinished = [head, `${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`];
  const answers = unfinished.map((bytes) => {
    const socket = connect(Number(port), hostname);
    socket.write(bytes);
    return text(socket);
  });
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 408 /);
  const took = performance.now() - began;
  assert.ok(took > 9_000 && took < 40_000, `cut off after ${took} ms`);
});
