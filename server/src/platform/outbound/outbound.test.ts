import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { hostileNames, hostileUrls } from '../../../test/hostile-urls.ts';
import { getPort } from '../shared/listening.ts';
import type { OpenSocket } from './connect.ts';
import { createOutbound, type Outbound, type OutboundRequest } from './outbound.ts';
import { OutboundError } from './outbound-error.ts';

const limits = { maxBytes: 1000, timeoutMs: 5000 };
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function listen(handler: RequestListener): Promise<{ port: number; connections(): number }> {
  let connections = 0;
  const server = createServer(handler);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { port: getPort(server), connections: () => connections };
}

const resolve = async (hostname: string) => hostileNames[hostname] ?? ['127.0.0.1'];

/** Replaces the internet: connects every address to `port`, with the address that `peer` returns. */
const internet =
  (port: number, peer: (address: string) => string = (address) => address): OpenSocket =>
  (address) => {
    const socket = connect({ host: '127.0.0.1', port });
    Object.defineProperty(socket, 'remoteAddress', { get: () => peer(address) });
    return socket;
  };

const get = (url: string): OutboundRequest => ({ url, method: 'GET', headers: {} });

const refusal =
  (reason: string, cause?: string) =>
  ({ message, details }: { message: string; details?: { reason: string; cause?: string } }) => {
    assert.equal(details?.reason, reason);
    if (cause !== undefined) assert.equal(details.cause, cause, message);
    return true;
  };

test('never reaches a non-public address, through any URL or method', async () => {
  const inside = await listen((_, response) => response.end(png));
  const outbound = createOutbound({ allowedHosts: [], resolve, openSocket: internet(inside.port) });
  const urls = hostileUrls(inside.port);
  assert.ok(urls.length >= 300);
  const messages = new Set<string>();
  for (const url of urls) {
    await assert.rejects(outbound.call(get(url), limits), (error) => {
      assert.ok(error instanceof OutboundError, `${url}: ${error}`);
      messages.add(error.message);
      return true;
    });
    await assert.rejects(outbound.fetchImage(url), refusal('image_unavailable'), url);
  }
  assert.equal(inside.connections(), 0);
  assert.equal(messages.size, 1, 'one message for every cause');
});

test('calls the checked address even if the name resolves differently later', async () => {
  const outside = await listen((request, response) => response.end(request.headers.host));
  const answers = [['93.184.216.34'], ['127.0.0.1']];
  let resolutions = 0;
  const dialled: string[] = [];
  const outbound = createOutbound({
    allowedHosts: [],
    resolve: async () => answers[resolutions++] ?? [],
    openSocket: (address, port) => {
      dialled.push(`${address} ${port}`);
      return internet(outside.port)(address, port);
    },
  });
  const { status, body } = await outbound.call(get('http://rebinding.example/x?y=1'), limits);
  assert.deepEqual([status, body.toString(), resolutions], [200, 'rebinding.example', 1]);
  assert.deepEqual(dialled, ['93.184.216.34 80']);
  await assert.rejects(outbound.call(get('http://rebinding.example/'), limits), OutboundError);
});

test('sends no request to a peer with another address', async () => {
  let requests = 0;
  const outside = await listen((_, response) => {
    requests += 1;
    response.end();
  });
  const outbound = createOutbound({
    allowedHosts: [],
    resolve,
    openSocket: internet(outside.port, () => '127.0.0.1'),
  });
  await assert.rejects(outbound.call(get('http://public.example/'), limits), OutboundError);
  assert.equal(requests, 0);
});

test('tries the next address when one does not respond', async () => {
  const outside = await listen((_, response) => response.end('here'));
  const outbound = createOutbound({
    allowedHosts: [],
    resolve: async () => ['93.184.216.34', '93.184.216.35'],
    openSocket: (address, port) =>
      address.endsWith('.34')
        ? connect({ host: '127.0.0.1', port: 1 })
        : internet(outside.port)(address, port),
  });
  assert.equal((await outbound.call(get('http://public.example/'), limits)).body.toString(), 'here');
});

test('allows exactly the listed hosts and ports, for actions but not for images', async () => {
  const inside = await listen((_, response) => response.end(png));
  const other = await listen((_, response) => response.end('other'));
  const outbound = createOutbound({ allowedHosts: [`127.0.0.1:${inside.port}`, 'stock.internal'], resolve });
  const url = `http://127.0.0.1:${inside.port}/`;
  assert.equal((await outbound.call(get(url), limits)).status, 200);
  assert.equal((await outbound.call(get(`http://2130706433:${inside.port}/`), limits)).status, 200);
  assert.equal((await outbound.call(get(`http://stock.internal:${other.port}/`), limits)).status, 200);
  await assert.rejects(outbound.call(get(`http://127.0.0.1:${other.port}/`), limits), OutboundError);
  await assert.rejects(outbound.fetchImage(url), refusal('image_unavailable', 'not_public'));
  assert.throws(() => createOutbound({ allowedHosts: ['a:b:c'] }), /host:port/);
});

test('sends the request unchanged and ignores proxies of the environment', async () => {
  const received: unknown[] = [];
  const inside = await listen(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push([request.method, request.url, request.headers['x-key'], body]);
    response.writeHead(201).end();
  });
  const host = `127.0.0.1:${inside.port}`;
  process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
  after(() => delete process.env['HTTP_PROXY']);
  const outbound = createOutbound({ allowedHosts: [host] });
  const { status } = await outbound.call(
    { url: `http://${host}/orders?x=1#part`, method: 'POST', headers: { 'x-key': 'k' }, body: '{"a":1}' },
    limits,
  );
  assert.equal(status, 201);
  assert.deepEqual(received, [['POST', '/orders?x=1', 'k', '{"a":1}']]);
});

test('returns a redirect without following it', async () => {
  const inside = await listen((_, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
  );
  const host = `127.0.0.1:${inside.port}`;
  const { status } = await createOutbound({ allowedHosts: [host] }).call(get(`http://${host}/`), limits);
  assert.deepEqual([status, inside.connections()], [302, 1]);
});

test('decompresses bodies and reads at most the limit, compressed or not', async () => {
  const bodies: Record<string, [Buffer, string?]> = {
    '/plain': [Buffer.from('hello')],
    '/gzip': [gzipSync('hello'), 'gzip'],
    '/br': [brotliCompressSync('hello'), 'br'],
    '/big': [Buffer.alloc(1001)],
    '/bomb': [gzipSync(Buffer.alloc(5_000_000)), 'gzip'],
    '/garbage': [Buffer.from('hello'), 'gzip'],
    '/strange': [Buffer.from('hello'), 'zstd'],
  };
  const inside = await listen((request, response) => {
    const [body, encoding] = bodies[request.url ?? ''] ?? [Buffer.alloc(0)];
    response.writeHead(200, encoding === undefined ? {} : { 'content-encoding': encoding }).end(body);
  });
  const host = `127.0.0.1:${inside.port}`;
  const outbound = createOutbound({ allowedHosts: [host] });
  const call = (path: string) => outbound.call(get(`http://${host}${path}`), limits);
  for (const path of ['/plain', '/gzip', '/br']) assert.equal((await call(path)).body.toString(), 'hello');
  for (const path of ['/big', '/bomb', '/garbage', '/strange']) {
    await assert.rejects(call(path), OutboundError, path);
  }
});

test('limits the time from name resolution to the last byte, and rejects with the reason of an abort', async () => {
  const inside = await listen((request, response) => {
    if (request.url === '/drip') response.write('a');
  });
  const host = `127.0.0.1:${inside.port}`;
  const outbound = createOutbound({ allowedHosts: [host] });
  const quick = { maxBytes: 10, timeoutMs: 50 };
  for (const path of ['/silent', '/drip']) {
    await assert.rejects(outbound.call(get(`http://${host}${path}`), quick), (error) => {
      assert.ok(error instanceof OutboundError);
      assert.equal(error.connectionFailed, false);
      return true;
    });
  }
  const unresolved = createOutbound({ allowedHosts: [], resolve: () => new Promise(() => undefined) });
  await assert.rejects(unresolved.call(get('http://slow.example/'), quick), OutboundError);
  const stop = new AbortController();
  const stopped = outbound.call(get(`http://${host}/silent`), { ...limits, signal: stop.signal });
  stop.abort(new Error('stopping'));
  await assert.rejects(stopped, { message: 'stopping' });
});

test('reports a refused connection as retryable', async () => {
  const outbound = createOutbound({ allowedHosts: ['127.0.0.1'] });
  await assert.rejects(outbound.call(get('http://127.0.0.1:1/'), limits), { connectionFailed: true });
});

function imageHost(port: number): Outbound {
  return createOutbound({
    allowedHosts: [],
    resolve: async (hostname) => (hostname.startsWith('inside') ? ['10.0.0.1'] : ['93.184.216.34']),
    openSocket: internet(port),
  });
}

test('detects an image by its bytes, which must match the announced type', async () => {
  const outside = await listen((request, response) => response.end(request.url === '/page' ? '<html>' : png));
  const outbound = imageHost(outside.port);
  const fetched = await outbound.fetchImage('http://img.example/a', { expectedMimeType: 'IMAGE/PNG; q=1' });
  assert.deepEqual(fetched, { bytes: png, mimeType: 'image/png' });
  const wrong = { expectedMimeType: 'image/jpeg' };
  await assert.rejects(
    outbound.fetchImage('http://img.example/a', wrong),
    refusal('image_unavailable', 'other_type'),
  );
  await assert.rejects(
    outbound.fetchImage('http://img.example/page'),
    refusal('image_unavailable', 'not_an_image'),
  );
});

test('follows up to three redirects to an image and checks each', async () => {
  const outside = await listen((request, response) => {
    const [, kind, n] = /^\/(\w+)\/?(\d*)/.exec(request.url ?? '') ?? [];
    const left = Number(n);
    if (kind === 'hop' && left > 0) response.writeHead(302, { location: `/hop/${left - 1}` }).end();
    else if (kind === 'in') response.writeHead(302, { location: 'http://inside.example/secret' }).end();
    else if (kind === 'file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else response.end(png);
  });
  const outbound = imageHost(outside.port);
  assert.equal((await outbound.fetchImage('http://img.example/hop/3')).mimeType, 'image/png');
  for (const [path, cause] of [
    ['hop/4', 'bad_status'],
    ['in', 'host_unknown'],
    ['file', 'not_public'],
  ] as const) {
    const fetched = outbound.fetchImage(`http://img.example/${path}`);
    await assert.rejects(fetched, refusal('image_unavailable', cause));
  }
});

test('rejects an image over 10 MiB', async () => {
  const big = Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]);
  const outside = await listen((_, response) => response.end(big));
  await assert.rejects(
    imageHost(outside.port).fetchImage('http://img.example/big'),
    refusal('image_unavailable', 'too_large'),
  );
});

test('does not tell a name of the internal network from a missing one', async () => {
  const outbound = createOutbound({
    allowedHosts: [],
    resolve: async (hostname) => {
      if (hostname === 'missing.example') throw new Error('getaddrinfo ENOTFOUND');
      return hostname === 'empty.example' ? [] : ['93.184.216.34', '10.0.0.7'];
    },
  });
  const failures = await Promise.all(
    ['missing', 'empty', 'inside'].map((name) =>
      outbound.fetchImage(`http://${name}.example/a.png`).then(
        () => assert.fail('the image was fetched'),
        ({ status, message, details }) => ({ status, message, details }),
      ),
    ),
  );
  assert.deepEqual(failures[0]?.details, { reason: 'image_unavailable', cause: 'host_unknown' });
  assert.deepEqual(failures, [failures[0], failures[0], failures[0]]);
});

test('names the host of an image that has no address or does not respond', async () => {
  const unknown = createOutbound({
    allowedHosts: [],
    resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND')),
  });
  await assert.rejects(
    unknown.fetchImage('http://missing.example/a.png'),
    refusal('image_unavailable', 'host_unknown'),
  );
  await assert.rejects(
    imageHost(1).fetchImage('http://img.example/a.png'),
    refusal('image_unavailable', 'unreachable'),
  );
});
