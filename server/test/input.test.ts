import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startDescribedApi } from './openapi/described-api.ts';
import type { ApiOperation } from './openapi/operations.ts';
import { encodeRequest, type WireRequest, type WireResponse } from './openapi/wire.ts';

const api = await startDescribedApi();
const team = await api.createObjects();
const { token } = api.key;
const { operations } = api;
// Connecting would wait, because no pool runs.
await sql`update devices set status = 'started' where id = ${team['devices']}`.execute(api.context.db);

const send = (wire: WireRequest): Promise<WireResponse> => api.wire.send(wire);

const details = ({ json }: WireResponse) =>
  (json as { details: { reason: string; issues?: { path: string; message: string }[] } }).details;

const invalidMediaTypes = [
  '',
  'x',
  'json',
  'application/',
  '/json',
  'application/json, text/plain',
  ' ; charset=utf-8',
];

/** The operation's request with another body. */
function withBody(operation: ApiOperation, type: string | null, text: string): WireRequest {
  const request = { ...api.requestFor(operation, team), body: undefined, upload: null, headers: {} };
  const wire = encodeRequest(request, token);
  const headers = type === null ? wire.headers : [...wire.headers, 'content-type', type];
  return { ...wire, headers, body: Buffer.from(text) };
}

test('names an unknown query parameter', async () => {
  for (const operation of operations) {
    for (const name of ['zz', '__proto__', 'constructor', 'Page', 'limit[]']) {
      const request = { ...api.requestFor(operation, team), query: [[name, '1'] as const] };
      const answer = await send(encodeRequest(request, token));
      assert.equal(answer.status, 400, `${operation.id} ${name}`);
      const [issue, ...others] = details(answer).issues ?? [];
      assert.deepEqual([issue?.path, others], [name, []], operation.id);
      assert.match(issue?.message ?? '', /^is not a known field( \(did you mean \w+\?\))?$/, operation.id);
    }
  }
});

test('rejects a repeated query parameter, even with equal values', async () => {
  for (const operation of operations) {
    for (const { name } of operation.query) {
      const twice = [name, '1'] as const;
      const request = { ...api.requestFor(operation, team), query: [twice, twice] };
      const answer = await send(encodeRequest(request, token));
      assert.equal(answer.status, 400, operation.id);
      assert.equal(details(answer).issues?.[0]?.path, name, operation.id);
    }
  }
});

test('documents every query parameter as optional', async () => {
  for (const operation of operations.filter(({ query }) => query.length > 0)) {
    assert.deepEqual(
      operation.query.filter(({ required }) => required).map(({ name }) => name),
      [],
      operation.id,
    );
    const request = { ...api.requestFor(operation, team), query: [] };
    assert.equal((await send(encodeRequest(request, token))).status, 200, operation.id);
  }
});

test('accepts one notation of numbers and booleans in a query', async () => {
  const otherNotations: Record<string, string[]> = {
    integer: ['', '0x1', '1.0', '1e1', '+1', ' 1', '01', '-0', '１'],
    boolean: ['', '1', '0', 'TRUE', 'yes', 'true '],
  };
  for (const operation of operations) {
    for (const { name, schema } of operation.query) {
      for (const value of otherNotations[schema.type ?? ''] ?? []) {
        const request = { ...api.requestFor(operation, team), query: [[name, value] as const] };
        assert.equal(
          (await send(encodeRequest(request, token))).status,
          400,
          `${operation.id} ${name}=${value}`,
        );
      }
    }
  }
});

test('requires JSON with the JSON content type', async () => {
  for (const operation of operations.filter(({ body, bodyIsOptional }) => body !== null && !bodyIsOptional)) {
    const json = JSON.stringify(api.requestFor(operation, team).body);
    for (const text of ['{', '{"a":1,}', '{} {}', '{"__proto__":{}}', 'undefined']) {
      const answer = await send(withBody(operation, 'application/json', text));
      assert.deepEqual([answer.status, details(answer).reason], [400, 'malformed_json'], operation.id);
    }
    for (const type of [
      null,
      'text/plain',
      'application/xml',
      'application/json; charset=utf-16',
      ...invalidMediaTypes,
    ]) {
      const answer = await send(withBody(operation, type, json));
      assert.deepEqual(
        [answer.status, details(answer).reason],
        [400, 'content_type'],
        `${operation.id} ${type}`,
      );
    }
    for (const text of ['', ' ', 'null', '[]', '1', '"text"']) {
      const answer = await send(withBody(operation, 'application/json', text));
      assert.deepEqual(
        [answer.status, details(answer).reason],
        [400, 'validation'],
        `${operation.id} ${text}`,
      );
    }
  }
});

test('rejects a body over 1 MiB and keeps the connection', async () => {
  const text = JSON.stringify({ zz: 'x'.repeat(1024 * 1024) });
  for (const operation of operations.filter(({ multipart }) => multipart === null)) {
    const answer = await send(withBody(operation, 'application/json', text));
    assert.deepEqual([answer.status, details(answer).reason], [400, 'body_too_large'], operation.id);
    assert.notEqual(answer.headers.connection, 'close');
  }
});

test('accepts only no body, an empty one or {} for an operation that needs no body', async () => {
  const bodyless = operations.filter(({ bodyIsOptional }) => bodyIsOptional);
  // Deletions run last, so that the other operations find their objects.
  bodyless.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  for (const operation of bodyless) {
    for (const text of ['{"a":1}', '[]', '1', 'null', 'x']) {
      const answer = await send(withBody(operation, 'application/json', text));
      assert.equal(answer.status, 400, `${operation.id} ${text}`);
      assert.ok(['validation', 'malformed_json'].includes(details(answer).reason), operation.id);
    }
    for (const [type, text] of [
      [null, ''],
      ['application/json', ''],
      ['application/json', '{}'],
      ['text/plain', '{}'],
      ['application/xml', ' '],
      ['application/x-www-form-urlencoded', ''],
      ['multipart/form-data; boundary=x', ''],
      ...invalidMediaTypes.flatMap((type) => [[type, ''] as const, [type, '{}'] as const]),
    ] as const) {
      const answer = await send(withBody(operation, type, text));
      const reason = answer.status === 400 ? details(answer).reason : '';
      assert.ok(
        !['validation', 'malformed_json', 'content_type'].includes(reason),
        `${operation.id} ${type} ${text}`,
      );
    }
  }
});

test('returns 404 for a path id that is not a UUID', async () => {
  const withId = operations.filter(
    ({ path, pathParameters }) => path.includes('{id}') && pathParameters.length > 0,
  );
  for (const operation of withId) {
    for (const id of [
      'zz',
      '0',
      '%00',
      'null',
      `urn:uuid:${team['teams']}`,
      `{${team['teams']}}`,
      'x'.repeat(2000),
    ]) {
      const request = api.requestFor(operation, team);
      const wire = encodeRequest({ ...request, path: { ...request.path, id } }, token);
      const answer = await send(wire);
      assert.equal(answer.status, 404, `${operation.id} ${id}`);
      assert.notEqual(details(answer).reason, 'route_not_found', `${operation.id} ${id}`);
    }
  }
});

test('returns a valid X-Request-Id and replaces an invalid one', async () => {
  const sendWithId = async (requestId: string) => {
    const wire = {
      method: 'GET',
      target: '/api/openapi/v1/nope',
      headers: ['x-request-id', requestId],
      body: null,
    };
    return (await send(wire)).headers['x-request-id'];
  };
  for (const valid of ['a', 'req-1.2:3_4', 'x'.repeat(128)]) assert.equal(await sendWithId(valid), valid);
  for (const invalid of ['', 'a b', 'x'.repeat(129), '<script>', 'a,b', '\u00e9']) {
    assert.match(String(await sendWithId(invalid)), /^[0-9a-f-]{36}$/, invalid);
  }
});
