import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reservePort } from '../../test/reserved-port.ts';
import { startStartingListener } from './starting-listener.ts';

test('names each request, like every response of the api', async () => {
  const { port, release } = await reservePort();
  after(release);
  const listener = await startStartingListener({ host: '127.0.0.1', port });
  after(() => listener.close());
  for (const path of ['/healthz', '/api/openapi/v1/teams']) {
    const own = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-request-id': 'order-17' } });
    assert.equal(own.headers.get('x-request-id'), 'order-17', path);
    const other = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.match(other.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, path);
  }
});
