import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { throughServer } from '../../../test/database-address.ts';
import { createEmptyDatabase } from '../../../test/test-database.ts';
import { startTransactionPooler } from '../../../test/transaction-pooler.ts';
import { requireUsableServer } from './server-requirements.ts';

const database = await createEmptyDatabase();
after(() => database.drop());

test('accepts PostgreSQL', async () => {
  await requireUsableServer(database.url);
});

test('refuses a pooler in transaction mode', async () => {
  const pooler = await startTransactionPooler(database.url);
  try {
    await assert.rejects(requireUsableServer(pooler.url), {
      reason: 'transaction_pooling',
      message: /pooler in transaction mode .* set pool_mode=session/,
    });
  } finally {
    pooler.close();
  }
});

test('refuses other engines by their name, and those that lack a feature', async () => {
  const engines = [
    ['CockroachDB CCL v25.3.1 (x86_64-pc-linux-gnu)', /is CockroachDB \(CockroachDB CCL/],
    ['PostgreSQL 15.12-YB-2.25.1.0-b0 on x86_64', /is YugabyteDB/],
    ['SomethingElse 1.0', /is no PostgreSQL \(SomethingElse/],
    ['PostgreSQL 18.0 (new engine)', /does not support advisory locks.*\(not supported\)/],
  ] as const;
  for (const [version, message] of engines) {
    const url = await startEngine(version);
    await assert.rejects(requireUsableServer(url), { reason: 'other_engine', message }, version);
  }
});

const message = (type: string, ...parts: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const ready = message('Z', 'I');

/** An engine that speaks the protocol, and that can only tell its version. */
async function startEngine(version: string): Promise<string> {
  const server = createServer((socket) => {
    let started = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (!started) {
        started = true;
        socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
      } else if (data.includes('version()')) socket.write(Buffer.concat([describeVersion(version), ready]));
      else if (data[0] === 'Q'.charCodeAt(0))
        socket.write(Buffer.concat([message('E', 'SERROR\0C0A000\0Mnot supported\0\0'), ready]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return throughServer('postgres://parley@localhost/postgres', server);
}

function describeVersion(version: string): Buffer {
  const column = Buffer.concat([Buffer.from('version\0'), Buffer.alloc(18)]);
  column.writeUInt32BE(25, column.length - 12);
  column.writeInt16BE(-1, column.length - 8);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(version.length);
  return Buffer.concat([
    message('T', Buffer.from([0, 1]), column),
    message('D', Buffer.from([0, 1]), length, version),
    message('C', 'SELECT 1\0'),
  ]);
}
