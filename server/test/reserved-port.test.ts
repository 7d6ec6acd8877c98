import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { getPort } from '../src/platform/shared/listening.ts';
import { reservePort } from './reserved-port.ts';

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

test('a reserved port stays free for its test over restarts', async () => {
  const { port, release } = await reservePort();
  for (let time = 0; time < 2; time += 1) {
    await assert.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
    await close(await listen(port));
  }
  await release();
});

test('does not reserve a port that is reserved or in use', async () => {
  const [reserved, free] = [await reservePort(), await reservePort()];
  await free.release();
  const taken = await listen(0);
  const candidates = [reserved.port, getPort(taken), free.port];
  const found = await reservePort(() => candidates.shift() ?? assert.fail('no port was reserved'));
  assert.equal(found.port, free.port);
  await close(taken);
  for (const { release } of [reserved, found]) await release();
});

test('reserves a released port again', async () => {
  const { port, release } = await reservePort();
  for (let time = 0; time < 2; time += 1) await release();
  const again = await reservePort(() => port);
  assert.equal(again.port, port);
  await again.release();
});
