import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { healthRoutes } from './health.routes.ts';

let looks = 0;
let look = Promise.withResolvers<boolean>();

const app = await createApp({
  logger: createLogger('silent'),
  trustedProxies: [],
  authenticate: () => null,
  requestRate: null,
  corsOrigins: [],
  routes: [
    healthRoutes({
      timeoutMs: 2_000,
      maySeeDetails: (request) => request.headers['x-operator'] === 'yes',
      describe: async () => ({ assistant_provider: { name: 'embedded', failures: [] } }),
      ready: () => {
        looks += 1;
        return look.promise;
      },
    }),
  ],
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());

test('shares one readiness check among concurrent requests', async () => {
  const answers = Array.from({ length: 20 }, () => fetch(`${address}/readyz`));
  // This request follows them and needs no check.
  assert.equal((await fetch(`${address}/healthz`)).status, 200);
  look.resolve(true);
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  const first = looks;
  assert.ok(first < 20, `${first} looks for 20 who asked`);
  look = Promise.withResolvers();
  look.resolve(false);
  assert.equal((await fetch(`${address}/readyz`)).status, 503);
  assert.equal(looks, first + 1);
});

test('abandons a hanging readiness check and starts a new one', async () => {
  look = Promise.withResolvers();
  assert.equal((await fetch(`${address}/readyz`)).status, 503);
  look = Promise.withResolvers();
  look.resolve(true);
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
});

test('describes the state to operators only, and only on request', async () => {
  look = Promise.withResolvers();
  look.resolve(true);
  const read = async (path: string, headers = {}) => (await fetch(`${address}${path}`, { headers })).json();
  const details = { status: 'ready', assistant_provider: { name: 'embedded', failures: [] } };
  const operator = { 'x-operator': 'yes' };
  assert.deepEqual(await read('/readyz?verbose', operator), details);
  assert.deepEqual(await read('/readyz?verbose'), { status: 'ready' });
  assert.deepEqual(await read('/readyz', operator), { status: 'ready' });
});
