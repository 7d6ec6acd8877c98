import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { startTestService } from '../../../test/chats.ts';
import { unknownOutcome } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import { createOutbound, type Outbound } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { actionRequest, UnusableArguments } from './action-request.ts';
import { createActionCaller } from './call-action.ts';

const action = (members: Partial<BotAction>): BotAction => ({
  id: 'a',
  name: 'Look up',
  description: '',
  endpoint: 'https://api.example.com/',
  method: 'GET',
  headers: [],
  body: [],
  ...members,
});

const options = { teamId: 'team', idempotencyKey: 'key-1', chat: null, signal: new AbortController().signal };
const caller = createActionCaller({ outbound: createOutbound({ allowedHosts: ['127.0.0.1'] }) });

test('encodes arguments in the endpoint and puts GET items into the query', () => {
  const { url } = actionRequest(
    action({
      endpoint: 'https://api.example.com/orders/{{ id }}?lang={{lang}}&fixed=a%20b',
      body: [
        { key: 'full name', value: '', type: 'string' },
        { key: 'limit', value: '5', type: 'number' },
        { key: 'note', value: 'for {{id}}', type: 'string' },
      ],
    }),
    { id: 'a b?c#d', lang: 'pt&x=1', 'full name': 'Ana & Co' },
  );
  assert.equal(
    url,
    'https://api.example.com/orders/a%20b%3Fc%23d?lang=pt%26x%3D1&fixed=a%20b&full%20name=Ana%20%26%20Co&limit=5&note=for%20a%20b%3Fc%23d',
  );
});

test('builds a JSON body by the types of its items', () => {
  const request = actionRequest(
    action({
      method: 'POST',
      body: [
        { key: 'name', value: '', type: 'string' },
        { key: 'count', value: '{{n}}', type: 'number' },
        { key: 'urgent', value: '', type: 'boolean' },
        { key: 'fixed', value: '2.5', type: 'number' },
        { key: 'text', value: 'n is {{n}}', type: 'string' },
      ],
    }),
    { name: 'Ana', n: '7', urgent: 'true' },
  );
  assert.deepEqual(JSON.parse(String(request.body ?? '')), {
    name: 'Ana',
    count: 7,
    urgent: true,
    fixed: 2.5,
    text: 'n is 7',
  });
  assert.equal(request.headers['content-type'], 'application/json');
});

test('sends a number literal unchanged, in the query and in JSON', () => {
  const written = ['12345678901234567890', '1.10', '9007199254740993', '1e5', '1E+05', '5.0', '-0', '1e400'];
  const body = written.map((value, i) => ({ key: `n${i}`, value, type: 'number' as const }));
  const { url } = actionRequest(action({ body }), {});
  assert.deepEqual([...new URL(url).searchParams.values()], written);
  assert.equal(
    actionRequest(action({ method: 'POST', body }), {}).body,
    `{${written.map((value, i) => `"n${i}":${value}`).join(',')}}`,
  );
});

test("sends the model's number as a number", () => {
  const body = [
    { key: 'n', value: '', type: 'number' as const },
    { key: 'of', value: '{{x}}00', type: 'number' as const },
  ];
  const post = (n: string | number, x: number) =>
    actionRequest(action({ method: 'POST', body }), { n, x }).body;
  assert.equal(post(1.5, 7), '{"n":1.5,"of":700}');
  assert.equal(post('7.50', -7), '{"n":7.5,"of":-700}');
});

test('rejects missing and invalid arguments before the call', () => {
  const typed = (type: 'number' | 'boolean') =>
    action({ method: 'POST', body: [{ key: 'x', value: '', type }] });
  const bad: [BotAction, Record<string, string | number | boolean>][] = [
    [action({ endpoint: 'https://api.example.com/{{id}}' }), {}],
    [action({ endpoint: 'https://api.example.com/{{id}}/x' }), { id: '..' }],
    [action({ endpoint: 'https://api.example.com/a/{{id}}/x' }), { id: '.' }],
    [action({ endpoint: 'https://api.example.com/a/{{id}}{{id}}/x' }), { id: '.' }],
    [action({ headers: [{ key: 'X-Name', value: '{{name}}' }] }), { name: 'a\r\nX-Admin: 1' }],
    [action({ headers: [{ key: 'X-Name', value: '{{name}}' }] }), { name: 'a\0b' }],
    [action({ headers: [{ key: 'X-Name', value: '名 {{name}}' }] }), { name: '\x7f' }],
    [typed('number'), { x: 'many' }],
    [typed('number'), { x: '' }],
    [typed('number'), { x: Number.POSITIVE_INFINITY }],
    [typed('boolean'), { x: 'perhaps' }],
  ];
  for (const [each, given] of bad) {
    assert.throws(
      () => actionRequest(each, given),
      UnusableArguments,
      JSON.stringify([each.endpoint, given]),
    );
  }
});

test('refuses a filled path segment that is empty or only dots, or contains / or \\', () => {
  const isRefused = (endpoint: string, value: string): boolean => {
    try {
      actionRequest(action({ endpoint, method: 'DELETE' }), { folder: value, 'a/b?': value });
      return false;
    } catch (error) {
      assert.ok(error instanceof UnusableArguments, String(error));
      return true;
    }
  };
  const other = [
    '',
    '.',
    '..',
    '...',
    ' ',
    '\t',
    '. ',
    'a/b',
    '/',
    'a\\b',
    '\\',
    '..\0',
    '%2e',
    '%2E%2e',
    'a%2fb',
    'a%5Cb',
  ];
  const accepted = ['a', '.a', 'a.', 'v1.2', '50%', 'é', '..a', 'a:b', '%zz', '%252', 'a?b', 'a#b'];
  for (const endpoint of [
    'https://api.example.com/folders/{{folder}}',
    'https://api.example.com/folders/{{folder}}/items?a=/b',
    'https://api.example.com/{{folder}}#/',
    'https://api.example.com/folders/{{ a/b? }}',
  ]) {
    for (const value of other) assert.ok(isRefused(endpoint, value), JSON.stringify([endpoint, value]));
    for (const value of accepted) assert.ok(!isRefused(endpoint, value), JSON.stringify([endpoint, value]));
  }
  for (const [endpoint, value] of [
    ['https://api.example.com/.{{folder}}/x', ''],
    ['https://api.example.com/.{{folder}}/x', '.'],
    ['https://api.example.com/%2{{folder}}/x', 'e'],
    ['https://api.example.com/{{folder}}{{folder}}/x', '.'],
  ] as const) {
    assert.ok(isRefused(endpoint, value), JSON.stringify([endpoint, value]));
  }
  for (const endpoint of [
    'https://api.example.com/{{folder}}.json',
    'https://api.example.com/a-{{folder}}',
    'https://api.example.com/a?folder={{folder}}',
    'https://api.example.com/a//b?folder=/{{folder}}/',
    'https://api.example.com/a#{{folder}}',
  ]) {
    assert.ok(!isRefused(endpoint, ''), endpoint);
  }
});

test('no argument changes the host or the path depth of an endpoint', () => {
  const endpoint = 'https://api.example.com/v1/orders/{{id}}/lines?of={{id}}';
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('..', '.', '%2e%2e', '../../..')),
      (id) => {
        let url: URL;
        try {
          url = new URL(actionRequest(action({ endpoint }), { id }).url);
        } catch (error) {
          assert.ok(error instanceof UnusableArguments);
          return;
        }
        assert.equal(url.origin, 'https://api.example.com');
        assert.match(url.pathname, /^\/v1\/orders\/[^/]*\/lines$/);
        assert.equal(url.searchParams.get('of'), id.toWellFormed());
      },
    ),
    { numRuns: 500 },
  );
});

test('only methods other than GET carry the Idempotency-Key, and the partner’s headers take precedence', async () => {
  const service = await startTestService((_, response) => response.end('{ "a" : 1 }'));
  const endpoint = `${service.url}/x`;
  assert.deepEqual(await caller(action({ endpoint }), {}, options), {
    status: 200,
    result: '{"a":1}',
    error: null,
  });
  await caller(
    action({ endpoint, method: 'POST', headers: [{ key: 'ACCEPT', value: 'text/csv' }] }),
    {},
    options,
  );
  const [read, written] = service.requests.map(({ headers }) => [headers['idempotency-key'], headers.accept]);
  assert.equal(read?.[0], undefined);
  assert.deepEqual(written, ['key-1', 'text/csv']);
});

test('sends header values and their arguments unchanged, in UTF-8', async () => {
  const service = await startTestService((_, response) => response.end());
  const headers = [
    { key: 'X-City', value: '日本\t{{city}} 😀' },
    { key: 'X-Latin', value: 'Größe\u0085' },
  ];
  for (const method of ['GET', 'POST'] as const) {
    const body = [{ key: 'note', value: 'x', type: 'string' }] as const;
    const given = action({ endpoint: service.url, method, headers, body });
    assert.equal((await caller(given, { city: 'São Paulo 名\ud800' }, options)).error, null);
  }
  // Node shows each byte of a header as a character.
  const sent = (value: unknown) => Buffer.from(String(value), 'latin1').toString('utf8');
  for (const { headers: received } of service.requests) {
    assert.deepEqual(
      [sent(received['x-city']), sent(received['x-latin'])],
      ['日本\tSão Paulo 名\ufffd 😀', 'Größe\u0085'],
    );
  }
  assert.equal(service.requests.length, 2);
});

test('sends the partner’s Accept-Encoding when its response could be read', async () => {
  const service = await startTestService((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed')),
  );
  const ours = 'gzip, deflate, br';
  for (const [asked, sent] of [
    ['gzip;q=0.5, identity;q=0.1, *;q=0', 'gzip;q=0.5, identity;q=0.1, *;q=0'],
    ['zstd;q=0, X-GZIP', 'zstd;q=0, X-GZIP'],
    ['', ''],
    ['gzip, deflate, br, zstd', ours],
    ['*', ours],
    ['gzip;q={{quality}}', ours],
    [null, ours],
  ] as const) {
    const headers = asked === null ? [] : [{ key: 'Accept-ENCODING', value: asked }];
    const { result } = await caller(
      action({ endpoint: service.url, headers }),
      { quality: '1, zstd' },
      options,
    );
    assert.deepEqual(
      [result, service.requests.at(-1)?.headers['accept-encoding']],
      ['packed', sent],
      String(asked),
    );
  }
});

test('reports a refusal to the model as an error, with its text', async () => {
  const service = await startTestService((_, response) => response.writeHead(404).end('no such order'));
  const { status, result } = await caller(action({ endpoint: service.url }), {}, options);
  assert.deepEqual([status, result], [404, 'error: the service answered with status 404: no such order']);
});

test('retries only a GET whose connection failed, once', async () => {
  const failing = (connectionFailed: boolean) => {
    let calls = 0;
    const call: Outbound['call'] = async () => {
      calls += 1;
      throw new OutboundError({ cause: 'test', connectionFailed });
    };
    return { call, calls: () => calls };
  };
  for (const [method, connectionFailed, expected] of [
    ['GET', true, 2],
    ['GET', false, 1],
    ['POST', true, 1],
    ['DELETE', true, 1],
  ] as const) {
    const outbound = failing(connectionFailed);
    await createActionCaller({ outbound })(action({ method }), {}, options);
    assert.equal(outbound.calls(), expected, `${method} ${connectionFailed}`);
  }
});

test('reports the outcome of a timed-out call as unknown, except for a GET', async () => {
  const call: Outbound['call'] = () => Promise.reject(new OutboundError({ cause: 'test', timedOut: true }));
  const resultOf = async (method: 'GET' | 'POST') =>
    (await createActionCaller({ outbound: { call } })(action({ method }), {}, options)).result;
  const cause = 'the service did not respond within 10 s';
  assert.equal(await resultOf('POST'), `${unknownOutcome} Cause: ${cause}.`);
  assert.equal(await resultOf('GET'), `error: ${cause}`);
});

test('reports a call as failed if no connection was made', async () => {
  const { result } = await caller(action({ endpoint: 'http://127.0.0.1:1/', method: 'POST' }), {}, options);
  assert.equal(result, 'error: the host refused the connection');
});

test('cuts a long response and rejects a far too long one', async () => {
  const service = await startTestService((request, response) =>
    response.end('x'.repeat(request.url === '/long' ? 100_000 : 300_000)),
  );
  const { result } = await caller(action({ endpoint: `${service.url}/long` }), {}, options);
  assert.equal(result.length, 16 * 1024);
  assert.ok((await caller(action({ endpoint: `${service.url}/far` }), {}, options)).error);
});

test('passes a deeply nested response on as plain text', async () => {
  const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  const service = await startTestService((request, response) =>
    response.writeHead(Number(request.url?.slice(1))).end(nested),
  );
  for (const status of [200, 500]) {
    const endpoint = `${service.url}/${status}`;
    await assert.doesNotReject(async () => {
      const { result } = await caller(action({ endpoint, method: 'POST' }), {}, options);
      assert.ok(result.includes('[[[['), `status ${status}`);
    });
  }
  assert.equal(service.requests.length, 2);
});

test('an abort rejects the call', async () => {
  const service = await startTestService(() => undefined);
  const stop = new AbortController();
  const call = caller(action({ endpoint: service.url }), {}, { ...options, signal: stop.signal });
  stop.abort(new Error('stopping'));
  await assert.rejects(call, { message: 'stopping' });
});
