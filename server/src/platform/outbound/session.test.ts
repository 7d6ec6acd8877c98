import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { getPort } from '../shared/listening.ts';
import { createOutbound } from './outbound.ts';
import { OutboundError } from './outbound-error.ts';
import { SessionClosed } from './session.ts';

const request = { headers: { 'content-type': 'application/json' }, body: '{}' };
const limits = { maxBytes: 1_000, timeoutMs: 10_000 };

/** Starts a server and opens a session with it. */
async function openSession(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${getPort(server)}`;
  const session = createOutbound({ allowedHosts: [host] }).open(`http://${host}/hook?a=1`, {
    connections: 2,
  });
  after(async () => {
    await session.close();
    server.closeAllConnections();
    server.close();
  });
  return { server, session };
}

test('posts over connections that stay open and returns each status', async () => {
  const [bodies, statuses]: [string[], number[]] = [[], [204, 200, 302, 500]];
  const { server, session } = await openSession(async (incoming, response) => {
    bodies.push(`${incoming.method} ${incoming.url} ${await incoming.toArray().then(String)}`);
    response.writeHead(statuses[bodies.length - 1] ?? 404, { location: '/elsewhere' }).end('x'.repeat(500));
  });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  for (const status of statuses) assert.equal(await session.post(request, limits), status);
  assert.deepEqual(new Set(bodies), new Set(['POST /hook?a=1 {}']));
  assert.ok(connections <= 2, `${connections} connections`);
});

test('rejects a response that is not complete in time, and closes its connection', async () => {
  const { server, session } = await openSession((_, response) => {
    response.writeHead(200).write('x');
    const trickle = setInterval(() => response.write('x'), 10);
    response.on('close', () => clearInterval(trickle));
  });
  const closed = new Promise((resolve) =>
    server.once('connection', (socket) => socket.once('close', resolve)),
  );
  await assert.rejects(
    session.post(request, { ...limits, timeoutMs: 200 }),
    (error) => error instanceof OutboundError && error.timedOut,
  );
  await closed;
});

test('rejects a body that is too long', async () => {
  const { session } = await openSession((_, response) => response.end('x'.repeat(1_001)));
  await assert.rejects(
    session.post(request, limits),
    (error) => error instanceof OutboundError && error.kind === 'too_large',
  );
});

test('rejects posts under way and later ones when it is closed', async () => {
  const { server, session } = await openSession(() => undefined);
  const requested = once(server, 'request');
  const posted = assert.rejects(session.post(request, limits), SessionClosed);
  await requested;
  await session.close();
  await posted;
  await assert.rejects(session.post(request, limits), SessionClosed);
});
