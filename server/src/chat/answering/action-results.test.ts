import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';
import { startTestService } from '../../../test/chats.ts';
import { emptyResult, unknownOutcome } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { getPort } from '../../platform/shared/listening.ts';
import { readWebhookSecret, signWebhook } from '../../platform/shared/webhook-signature.ts';
import { createActionCaller } from './call-action.ts';

const options = { teamId: 'team', idempotencyKey: 'key-1', chat: null, signal: new AbortController().signal };
const caller = createActionCaller({ outbound: createOutbound({ allowedHosts: ['127.0.0.1'] }) });

const call = (endpoint: string, members: Partial<BotAction> = {}) =>
  caller(
    { id: 'a', name: 'Look up', description: '', endpoint, method: 'GET', headers: [], body: [], ...members },
    {},
    options,
  );

/** Redirects `/hop/n` n times, and any other path as the query says. */
const redirecting: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
  const [, left = ''] = /^\/hop\/(\d+)$/.exec(pathname) ?? [];
  const to = Number(left) > 0 ? `/hop/${Number(left) - 1}` : searchParams.get('to');
  if (to === null) return void response.end('{"status":"shipped"}');
  response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end('moved');
};

test('follows redirects of a GET on the same host', async () => {
  const service = await startTestService(redirecting);
  for (const status of [301, 302, 303, 307, 308])
    assert.equal((await call(`${service.url}/x?status=${status}&to=/y/`)).result, '{"status":"shipped"}');
  for (const to of ['y?z=1', '//HOST/y', 'http://HOST/y#part', './../y']) {
    const target = to.replace('HOST', new URL(service.url).host);
    assert.equal((await call(`${service.url}/x?to=${encodeURIComponent(target)}`)).status, 200, to);
  }
  const headers = [{ key: 'authorization', value: 'Bearer t' }];
  assert.equal((await call(`${service.url}/hop/3`, { headers })).status, 200);
  assert.ok(service.requests.slice(-4).every((request) => request.headers.authorization === 'Bearer t'));
});

test('follows no redirect to another host or scheme, no fourth one and none of another method', async () => {
  const service = await startTestService(redirecting);
  const other = await startTestService((_, response) => response.end('secret'));
  const { host } = new URL(service.url);
  const followed = 'which is followed only on the same host, and at most 3 times';
  for (const path of [
    `/x?to=${encodeURIComponent(other.url)}`,
    `/x?to=https://${host}/`,
    '/x?to=http://10.0.0.1/',
    '/x?to=file:///etc/passwd',
    '/x?to=http://[',
    '/hop/4',
    `/x?to=http://user:password@127.0.0.1:1/`,
  ]) {
    const { status, error, result } = await call(`${service.url}${path}`);
    assert.deepEqual(
      [status, error],
      [302, `the service answered with a redirect (status 302), ${followed}`],
      path,
    );
    assert.equal(result, `error: ${error}`);
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const { error } = await call(`${service.url}/x?status=308&to=/y`, { method });
    assert.equal(error, 'the service answered with a redirect (status 308), which is followed only for GET');
  }
  assert.equal(other.requests.length, 0);
});

test('checks the address of every hop, also on the same host', async () => {
  const service = await startTestService(redirecting);
  let lookUps = 0;
  const { port } = new URL(service.url);
  const outbound = createOutbound({
    allowedHosts: [`service.example:${port}`],
    resolve: async () => {
      lookUps += 1;
      return ['127.0.0.1'];
    },
  });
  const { status } = await createActionCaller({ outbound })(
    {
      id: 'a',
      name: 'Look up',
      description: '',
      method: 'GET',
      headers: [],
      body: [],
      endpoint: `http://service.example:${port}/hop/2`,
    },
    {},
    options,
  );
  assert.deepEqual([status, lookUps], [200, 3]);
});

test('signs each hop for its own address', async () => {
  const service = await startTestService(redirecting);
  const signingSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  assert.equal((await call(`${service.url}/hop/1`, { signingSecret })).status, 200);
  const signatures = service.requests.map(({ headers }) => headers['webhook-signature']);
  assert.equal(new Set(signatures).size, 2);
  for (const { url, headers } of service.requests) {
    const id = String(headers['webhook-id']);
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    const payload = ['GET', url, '', '', ''].join('\n');
    const expected = signWebhook([readWebhookSecret(signingSecret)], { id, sentAt, payload });
    assert.equal(headers['webhook-signature'], expected['webhook-signature']);
  }
});

test('says that a call without content succeeded', async () => {
  const service = await startTestService((request, response) => {
    const [, status = '200', text = ''] = /^\/(\d+)(?:\?(.*))?$/.exec(request.url ?? '') ?? [];
    response.writeHead(Number(status)).end(decodeURIComponent(text));
  });
  for (const path of ['204', '205', '200', '201', '202', '200?%20%0A', '200?%EF%BB%BF'])
    for (const method of ['GET', 'POST'] as const) {
      const { result, error } = await call(`${service.url}/${path}`, { method });
      assert.deepEqual([result, error], [emptyResult, null], path);
    }
  assert.equal((await call(`${service.url}/500`)).result, 'error: the service answered with status 500');
});

test('decodes the text of a service by its byte order mark, its charset or its bytes', async () => {
  const bodies = new Map<string, [Buffer, string?]>();
  const service = await startTestService((request, response) => {
    const [body, type] = bodies.get(request.url ?? '') ?? [Buffer.alloc(0)];
    response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body);
  });
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const utf16be = Buffer.from('Olá', 'utf16le').swap16();
  for (const [text, body, type] of [
    ['Situação: não pago', latin1('Situação: não pago'), 'text/plain; charset=iso-8859-1'],
    ['Situação', latin1('Situação'), 'text/plain; charset="ISO-8859-1"; x=y'],
    ['Situação', latin1('Situação'), "text/plain;charset='latin1'"],
    ['{"s":"não"}', latin1('{ "s": "não" }'), 'application/json;charset=ISO-8859-1'],
    ['“12 €”', Buffer.from([0x93, 0x31, 0x32, 0x20, 0x80, 0x94]), 'text/plain; charset=windows-1252'],
    ['Привет', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), 'text/plain; charset=windows-1251'],
    ['日本', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'text/plain; charset=Shift_JIS'],
    ['é', Buffer.from([0x82]), 'text/plain; charset=cp850'],
    ['Situação', Buffer.from('Situação'), 'text/plain'],
    ['Situação', Buffer.from('Situação'), undefined],
    ['Situação', Buffer.from('Situação'), 'text/plain; charset=nothing'],
    ['Situação', latin1('Situação'), undefined],
    ['Situação', latin1('Situação'), 'text/plain; charset=utf-8'],
    ['{"s":"é"}', Buffer.from('\ufeff{"s":"é"}'), 'application/json'],
    ['Olá', Buffer.from('\ufeffOlá'), 'text/plain; charset=iso-8859-1'],
    ['Olá', Buffer.from('\ufeffOlá', 'utf16le'), 'text/plain'],
    ['Olá', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be]), 'text/plain; charset=utf-16'],
  ] as const) {
    const path = `/${bodies.size}`;
    bodies.set(path, type === undefined ? [body] : [body, type]);
    assert.equal((await call(`${service.url}${path}`)).result, text, `${text} as ${type}`);
  }
});

test('names the cause of a call without a response', async () => {
  const pem = await readFile(new URL('../../../test/fixtures/self-signed.pem', import.meta.url), 'utf8');
  const cert = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE-----'));
  const secure = createServer({ key: pem, cert }, (_, response) => response.end('secret')).listen(
    0,
    '127.0.0.1',
  );
  const silly = createTcpServer((socket) => void socket.end('220 ready\r\n')).listen(0, '127.0.0.1');
  after(() => [secure, silly].map((server) => server.close()));
  const service = await startTestService((request, response) => {
    if (request.url === '/dropped') request.socket.destroy();
    else if (request.url === '/packed') response.writeHead(200, { 'content-encoding': 'zstd' }).end('?');
    else response.end(Buffer.alloc(10_000_000, 'x'));
  });
  const closed = 'the host closed the connection without a complete response';
  for (const [endpoint, error] of [
    [
      `https://127.0.0.1:${getPort(secure)}/`,
      'the certificate of the host is self-signed, or issued by an unknown authority',
    ],
    [service.url.replace('http:', 'https:'), 'the host does not accept a TLS connection'],
    [`http://127.0.0.1:${getPort(silly)}/`, 'the response could not be read'],
    ['http://127.0.0.1:1/', 'the host refused the connection'],
    [`${service.url}/dropped`, closed],
    [`${service.url}/packed`, 'the response could not be read'],
    [`${service.url}/huge`, 'the response is larger than 256 KiB'],
    ...['http://10.0.0.1/', 'http://[::1]/', 'http://8.8.8.8:22/'].map(
      (url) =>
        [
          url,
          'the address is not allowed: it must be public, on http(s), without another port or credentials',
        ] as const,
    ),
  ] as const) {
    const outcome = await call(endpoint);
    assert.deepEqual(outcome, { status: null, error, result: `error: ${error}` }, endpoint);
  }
  for (const path of ['dropped', 'huge']) {
    const { result, error } = await call(`${service.url}/${path}`, { method: 'POST' });
    assert.equal(result, `${unknownOutcome} Cause: ${error}.`);
  }
});

test('a name with a private address looks like a missing one', async () => {
  const outcomes = await Promise.all(
    [['10.0.0.7'], ['93.184.216.34', '127.0.0.1'], [], null].map(async (addresses) => {
      let lookUps = 0;
      const resolve = async () => {
        lookUps += 1;
        return addresses ?? Promise.reject(new Error('getaddrinfo ENOTFOUND'));
      };
      const outbound = createOutbound({ allowedHosts: [], resolve });
      const outcome = await createActionCaller({ outbound })(
        {
          id: 'a',
          name: 'Look up',
          description: '',
          method: 'GET',
          headers: [],
          body: [],
          endpoint: 'http://inside.example/',
        },
        {},
        options,
      );
      return { ...outcome, lookUps };
    }),
  );
  assert.equal(outcomes[0]?.error, 'the host name has no public address');
  for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0]);
});
