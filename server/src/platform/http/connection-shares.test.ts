import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { eventually } from '../../../test/eventually.ts';
import { promptly } from '../../../test/promptly.ts';
import { getPort } from '../shared/listening.ts';
import { createLogger } from '../shared/logger.ts';
import { createApp } from './app.ts';
import { createConnectionShares } from './connection-shares.ts';

const released = Promise.withResolvers<object>();
const app = await createApp({
  logger: createLogger('silent'),
  trustedProxies: [],
  authenticate: ({ authorization = '' }) => {
    const [keyId = '', teamId] = authorization.replace('Bearer ', '').split('@');
    if (keyId === 'bad') return null;
    return { keyId, scope: teamId === undefined ? { kind: 'all' } : { kind: 'team', teamId }, role: null };
  },
  requestRate: null,
  corsOrigins: [],
  routes: [
    async (routes) => {
      routes.get('/api/openapi/v1/held', () => released.promise);
      routes.post('/public', { config: { access: 'public' } }, async () => ({}));
    },
  ],
  connectionShares: createConnectionShares({ max: 6, maxUnauthenticated: 2 }),
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
  assert.ok(!socket.destroyed, 'the connection closed');
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

test('a flood with requests in progress does not close a new connection', async () => {
  const flood: Socket[] = [];
  for (let n = 0; n < 3; n += 1) {
    const socket = connect(getPort(app.server), '127.0.0.1');
    after(() => socket.destroy());
    const requests = once(app.server, 'request');
    socket.write('POST /public HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{');
    await requests;
    flood.push(socket);
  }
  const caller = connect(getPort(app.server), '127.0.0.1');
  await once(app.server, 'connection');
  flood.push(await open('bad'));
  await request(caller, 'pk_8');
  for (const socket of [caller, ...flood]) socket.destroy();
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

test('closes an unauthenticated connection before those of the caller with the most', async () => {
  const [oldest, next] = [await open('bad'), await open('bad')];
  const partner: Socket[] = [];
  for (let n = 0; n < 4; n += 1) partner.push(await open('pk_6'));
  for (const unauthenticated of [oldest, next]) {
    partner.push(await open('pk_6'));
    await eventually(async () => assert.ok(unauthenticated.closed), 5000);
  }
  for (const socket of partner) await request(socket, 'bad');
  for (const socket of partner) socket.destroy();
});

test('closes an idle connection before an older one with a request in progress', async () => {
  const busy = await open('pk_7');
  busy.write('GET /api/openapi/v1/held HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer pk_7\r\n\r\n');
  const idle: Socket[] = [];
  for (let n = 0; n < 5; n += 1) idle.push(await open('pk_7'));
  const newest = await open('pk_7');
  await eventually(async () => assert.ok(idle[0]?.closed), 5000);
  released.resolve({});
  await once(busy, 'data');
  for (const socket of [busy, newest, ...idle]) socket.destroy();
});

test('a stop does not wait for connections that have sent nothing', async () => {
  const stopping = await createApp({
    logger: createLogger('silent'),
    trustedProxies: [],
    authenticate: () => null,
    requestRate: null,
    corsOrigins: [],
    routes: [],
  });
  const connections = once(stopping.server, 'connection');
  await stopping.listen({ host: '127.0.0.1', port: 0 });
  const silent = connect(getPort(stopping.server), '127.0.0.1');
  await connections;
  await promptly(stopping.close());
  silent.destroy();
});
