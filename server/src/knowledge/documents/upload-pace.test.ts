import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { getPort } from '../../platform/shared/listening.ts';
import { getAnnouncedBytes, receiveBody } from './upload-pace.ts';

const maxFileBytes = 1000;
const quick = { everyMs: 200, bytes: 10 };

/** The result of the last body. */
let received = Promise.withResolvers<Buffer>();
const server = createServer((request: IncomingMessage) => {
  receiveBody(request, maxFileBytes, () => buffer(request), quick).then(received.resolve, received.reject);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const port = getPort(server);

function begin(headers: string): ReturnType<typeof connect> {
  received = Promise.withResolvers();
  const socket = connect(port, '127.0.0.1');
  after(() => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.write(`POST / HTTP/1.1\r\nhost: parley\r\n${headers}\r\n\r\n`);
  return socket;
}

test('receives a body from a client that is slow afterwards', async () => {
  const socket = begin('content-length: 5');
  socket.write('ahoy!');
  assert.equal(String(await received.promise), 'ahoy!');
});

test('rejects a body that arrives too slowly', async () => {
  const socket = begin('content-length: 500');
  const dripping = setInterval(() => socket.write('x'), 100);
  try {
    await assert.rejects(received.promise, {
      status: 400,
      details: { reason: 'request_timeout' },
      headers: { connection: 'close' },
    });
  } finally {
    clearInterval(dripping);
  }
});

test('uses the announced length or the maximum, and rejects a larger announced length', () => {
  const announced = (length?: string) =>
    getAnnouncedBytes({ headers: length === undefined ? {} : { 'content-length': length } }, maxFileBytes);
  const longest = announced();
  assert.ok(longest > maxFileBytes);
  assert.deepEqual([announced('7'), announced(String(longest))], [7, longest]);
  assert.throws(() => announced(String(longest + 1)), {
    details: { reason: 'file_too_large', limit: maxFileBytes },
  });
});

test('rejects an endless body at the maximum length', async () => {
  const socket = begin('transfer-encoding: chunked');
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const sending = setInterval(() => socket.write(chunk), 5);
  try {
    await assert.rejects(received.promise, { details: { reason: 'file_too_large', limit: maxFileBytes } });
  } finally {
    clearInterval(sending);
  }
});
