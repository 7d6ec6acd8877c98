import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { eventually } from '../../test/eventually.ts';
import { getPort } from '../shared/listening.ts';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { createConnectionShares } from './connection-shares.ts';

const app = await createApp({
  logger: createLogger('silent'),
  trustedProxies: [],
  authenticate: (token) => {
    const [keyId = '', teamId] = token.split('@');
    if (keyId === 'bad') return null;
    return { keyId, scope: teamId === undefined ? { kind: 'all' } : { kind: 'team', teamId } };
  },
  requestRate: null,
  corsOrigins: [],
  routes: [],
  connectionShares: createConnectionShares({ max: 6, maxOfStrangers: 2 }),
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

/** Fails if the connection closes. */
async function request(socket: Socket, token: string): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  socket.write(
    `GET /api/openapi/v1/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await once(socket, 'data', { signal: closed.signal }).catch(() => assert.fail('the connection closed'));
}

test('closes the oldest connection without a valid token, and none with one', async () => {
  const [holder, oldest, second] = [await open('good'), await open('bad'), await open('bad')];
  const third = await open('bad');
  await eventually(async () => assert.ok(oldest.closed), 5000);
  await request(holder, 'bad');
  await Promise.all([request(second, 'bad'), request(third, 'bad')]);
  for (const socket of [holder, second, third]) socket.destroy();
});

test('closes the oldest connection of the team with the most, whichever of its keys it uses', async () => {
  const other = await open('pk_1@other');
  const team: Socket[] = [];
  for (const key of ['pk_2', 'pk_3', 'pk_2', 'pk_3', 'pk_2']) team.push(await open(`${key}@hostile`));
  const [oldest, next, ...rest] = team;
  assert.ok(oldest !== undefined && next !== undefined);
  await request(oldest, 'pk_2@hostile');
  const global = await open('pk_4');
  await eventually(async () => assert.ok(oldest.closed), 5000);
  const another = await open('pk_5@another');
  await eventually(async () => assert.ok(next.closed), 5000);
  for (const socket of [other, global, another, ...rest]) await request(socket, 'bad');
});
