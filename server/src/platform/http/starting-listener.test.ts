import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { reservePort } from '../../../test/reserved-port.ts';
import { openStartingPorts } from './starting-listener.ts';

async function reserve(): Promise<number> {
  const { port, release } = await reservePort();
  after(release);
  return port;
}

test('names each request, like every response of the api', async () => {
  const port = await reserve();
  const ports = await openStartingPorts([{ host: '127.0.0.1', port }]);
  after(() => ports.close());
  for (const path of ['/healthz', '/api/openapi/v1/teams']) {
    const own = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-request-id': 'order-17' } });
    assert.equal(own.headers.get('x-request-id'), 'order-17', path);
    const other = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.match(other.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, path);
  }
});

test('frees each port for its role', async () => {
  const [api, pool] = [await reserve(), await reserve()];
  const ports = await openStartingPorts([api, pool, 0].map((port) => ({ host: '127.0.0.1', port })));
  after(() => ports.close());
  await ports.release(pool);
  await ports.release(null);
  const role = createServer().listen(pool, '127.0.0.1');
  after(() => role.close());
  const { status } = await fetch(`http://127.0.0.1:${api}/readyz`);
  assert.equal(status, 503);
});

test('frees all ports if one is in use', async () => {
  const [free, used] = [await reserve(), await reserve()];
  const other = await openStartingPorts([{ host: '127.0.0.1', port: used }]);
  after(() => other.close());
  const addresses = [free, used].map((port) => ({ host: '127.0.0.1', port }));
  await assert.rejects(openStartingPorts(addresses), { code: 'EADDRINUSE' });
  await assert.rejects(fetch(`http://127.0.0.1:${free}/healthz`));
});
