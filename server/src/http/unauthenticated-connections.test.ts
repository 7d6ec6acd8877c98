import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { eventually } from '../../test/eventually.ts';
import { getPort } from '../shared/listening.ts';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { createUnauthenticatedConnections } from './unauthenticated-connections.ts';

const app = await createApp({
  logger: createLogger('silent'),
  trustedProxies: [],
  authenticate: (token) => (token === 'good' ? { keyId: 'pk_1', scope: { kind: 'all' } } : null),
  requestRate: null,
  corsOrigins: [],
  routes: [],
  unauthenticated: createUnauthenticatedConnections(2),
});
await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());

/** Opens a connection and sends one request with this token. */
async function open(token: string): Promise<Socket> {
  const socket = connect(getPort(app.server), '127.0.0.1');
  await once(socket, 'connect');
  after(() => socket.destroy());
  await request(socket, token);
  return socket;
}

async function request(socket: Socket, token: string): Promise<void> {
  socket.write(
    `GET /api/openapi/v1/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, 'data');
}

test('closes the oldest connection without a valid token, and none with one', async () => {
  const [holder, oldest, second] = [await open('good'), await open('bad'), await open('bad')];
  const third = await open('bad');
  await eventually(async () => assert.ok(oldest.closed), 5000);
  await request(holder, 'bad');
  await Promise.all([request(second, 'bad'), request(third, 'bad')]);
});
