import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { healthRoutes } from './health.routes.ts';

test('does not warn about X-Forwarded-For of a trusted proxy', async () => {
  const logged: string[] = [];
  const app = await createApp({
    logger: createLogger('warn', { write: (line) => logged.push(line) }),
    trustedProxies: ['10.0.0.0/8'],
    authenticate: () => null,
    requestRate: null,
    corsOrigins: [],
    routes: [healthRoutes({ ready: async () => true })],
  });
  after(() => app.close());
  const headers = { 'x-forwarded-for': '192.0.2.1' };
  const send = (remoteAddress: string) => app.inject({ url: '/healthz', remoteAddress, headers });
  await send('10.0.0.1');
  await send('10.0.0.1');
  assert.deepEqual(logged, []);
  await send('192.0.2.7');
  assert.deepEqual(
    logged.map((line) => JSON.parse(line).peer),
    ['192.0.2.7'],
  );
});
