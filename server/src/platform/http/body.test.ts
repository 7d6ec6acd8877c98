import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';

const { api, baseUrl } = await startTestApp({ routes: () => [] });

async function reasonFor(sent: string | Blob): Promise<string> {
  const { status, body } = await api('POST', '/api-keys', { body: sent });
  assert.equal(status, 400);
  return body.details.reason;
}

const nested = (open: string, close: string, depth: number): string =>
  `{"name":${open.repeat(depth - 1)}1${close.repeat(depth - 1)}}`;

test('accepts a body nested 32 levels deep and rejects a deeper one', async () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    assert.equal(await reasonFor(nested(open, close, 32)), 'validation');
    assert.equal(await reasonFor(nested(open, close, 33)), 'malformed_json');
  }
});

test('rejects the deepest body that fits quickly, complete or not', async () => {
  const began = performance.now();
  assert.equal(await reasonFor(nested('[', ']', 500_000)), 'malformed_json');
  assert.equal(await reasonFor(nested('{"a":', '}', 150_000)), 'malformed_json');
  assert.equal(await reasonFor('['.repeat(1_000_000)), 'malformed_json');
  assert.ok(performance.now() - began < 5000);
});

test('names the position of malformed JSON', async () => {
  const { body } = await api('POST', '/api-keys', { body: '{\n  "name": "Desk",\n  "scope": global\n}' });
  assert.equal(body.error, 'The body is not valid JSON at line 3, column 12 (position 31)');
  assert.deepEqual(body.details, { reason: 'malformed_json', position: 31 });
});

test('rejects prototype members at every depth and in every spelling', async () => {
  for (const text of [
    '{"__proto__":{"name":"x"}}',
    '{"name":"x","scope":{"a":{"__proto__":1}}}',
    '{"\\u005f_proto__":{}}',
    '{"constructor":{"prototype":{"name":"x"}}}',
  ]) {
    assert.equal(await reasonFor(text), 'malformed_json', text);
  }
  assert.equal(Reflect.get({}, 'name'), undefined);
});

test('rejects a body that is not UTF-8', async () => {
  const bytes = Buffer.from('{"name":"caf\xe9","scope":"global"}', 'latin1');
  assert.equal(await reasonFor(new Blob([bytes])), 'malformed_json');
});

test('accepts any content type without a body', async () => {
  for (const path of ['/api/openapi/openapi.json', '/api/openapi/reference', '/healthz', '/metrics']) {
    for (const type of ['', 'json', 'application/', 'application/json']) {
      const headers = { 'content-type': type };
      const { status } = await fetch(`${baseUrl}${path}`, { headers });
      assert.equal(status, 200, `${path} ${type}`);
    }
  }
});
