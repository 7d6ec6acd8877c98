import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { createResolve } from './outbound.ts';

/** Knows the IPv4 address of fast.example and the IPv6 address of six.example, and does not respond for hanging names. */
async function startDns(): Promise<string> {
  const server = createSocket('udp4');
  const types = { a: 1, aaaa: 28 };
  server.on('message', (query, { port, address }) => {
    if (query.includes('hanging')) return;
    const end = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(end - 4);
    const data = query.includes('fast') && type === types.a ? Buffer.from([93, 184, 216, 34]) : null;
    const data6 =
      query.includes('six') && type === types.aaaa ? Buffer.from('20010db8'.padEnd(32, '0'), 'hex') : null;
    const found = data ?? data6;
    const header = Buffer.from([
      0x81,
      found === null ? 0x83 : 0x80,
      0,
      1,
      0,
      found === null ? 0 : 1,
      0,
      0,
      0,
      0,
    ]);
    const answer =
      found === null ? [] : [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, found.length]), found];
    server.send(
      Buffer.concat([query.subarray(0, 2), header, query.subarray(12, end), ...answer]),
      port,
      address,
    );
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return `127.0.0.1:${server.address().port}`;
}

const resolve = createResolve({ servers: [await startDns()] });
const byDns = { allowed: false };

test('resolves names by DNS', async () => {
  assert.deepEqual(await resolve('fast.example', byDns), ['93.184.216.34']);
  assert.deepEqual(await resolve('six.example', byDns), ['2001:db8::']);
  await assert.rejects(resolve('missing.example', byDns), { code: 'ENOTFOUND' });
});

test('resolves a name although the servers of others do not respond', async () => {
  const hanging = Promise.allSettled(
    Array.from({ length: 16 }, (_, n) => resolve(`hanging-${n}.example`, byDns)),
  );
  const startedAt = performance.now();
  await resolve('fast.example', byDns);
  await resolve('localhost', { allowed: true });
  assert.ok(performance.now() - startedAt < 2_000);
  assert.ok((await hanging).every(({ status }) => status === 'rejected'));
  assert.ok(performance.now() - startedAt < 20_000);
});

test('resolves an allowed name like the operating system', async () => {
  assert.ok(
    (await resolve('localhost', { allowed: true })).some((address) => ['127.0.0.1', '::1'].includes(address)),
  );
});
