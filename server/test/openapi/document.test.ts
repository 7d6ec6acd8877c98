import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { operationExamples } from '../../src/platform/http/openapi/examples/examples.ts';
import { startTestApp } from '../harness.ts';
import { createSchemaCheck, type OpenapiDocument, type OpenapiOperation } from '../response-check.ts';

const document: OpenapiDocument & { tags: { name: string; description: string }[] } = JSON.parse(
  await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8'),
);
const checkSchema = createSchemaCheck(document);
const operations: OpenapiOperation[] = Object.values(document.paths).flatMap((path) => Object.values(path));

test('describes every operation and every tag', () => {
  assert.ok(operations.length > 60);
  const described = new Map(document.tags.map(({ name, description }) => [name, description]));
  for (const { operationId, description = '', tags = [] } of operations) {
    assert.match(description, /^\S.{10,}\.$/s, operationId);
    for (const tag of tags) assert.ok((described.get(tag) ?? '').length > 10, `the tag ${tag}`);
  }
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  assert.deepEqual(
    [...described.keys()].filter((tag) => !used.has(tag)),
    [],
  );
});

test('shows a valid example of every request, success and error', () => {
  const ids = operations.map(({ operationId }) => operationId);
  assert.deepEqual(Object.keys(operationExamples).sort(), ids.toSorted());
  for (const { operationId, requestBody, responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if ('$ref' in response) assert.ok(Number(status) >= 400, `${operationId} ${status}`);
      else checkExamples(response, `${operationId} ${status}`);
    }
    if (requestBody !== undefined) checkExamples(requestBody, `the request of ${operationId}`);
  }
  for (const [name, response] of Object.entries(document.components.responses)) checkExamples(response, name);
});

test('shows a valid example of every parameter', () => {
  for (const { operationId, parameters = [] } of operations) {
    for (const { name, schema, example = schema.examples?.[0] } of parameters) {
      const where = `${name} of ${operationId}`;
      assert.notEqual(example, undefined, `${where} has no example`);
      checkSchema(schema, example, where);
    }
  }
});

test('names the body of every request', () => {
  for (const { operationId, requestBody } of operations)
    for (const { schema } of Object.values(requestBody?.content ?? {}))
      assert.ok('$ref' in schema, operationId);
});

/** Files and streams have no examples. */
function checkExamples(
  described: NonNullable<OpenapiOperation['requestBody']> | object,
  where: string,
): void {
  const { content = {} } = described as Partial<NonNullable<OpenapiOperation['requestBody']>>;
  const { schema, example } = content['application/json'] ?? {};
  if (schema === undefined) return;
  assert.notEqual(example, undefined, `${where} has no example`);
  checkSchema(schema, example, where);
}

test('serves the document compressed, and not again to a client that has it', async () => {
  const { baseUrl } = await startTestApp({ routes: () => [] });
  const get = (headers: Record<string, string>) => fetch(`${baseUrl}/api/openapi/openapi.json`, { headers });
  const plain = await get({ 'accept-encoding': 'gzip;q=0, identity' });
  assert.equal(plain.headers.get('content-encoding'), null);
  const compressed = await get({ 'accept-encoding': 'br, gzip' });
  assert.equal(compressed.headers.get('content-encoding'), 'gzip');
  assert.equal(compressed.headers.get('vary'), 'Accept-Encoding');
  assert.deepEqual(await compressed.json(), await plain.json());

  const etag = compressed.headers.get('etag') ?? '';
  const known = await get({ 'if-none-match': `"other", ${etag}` });
  assert.deepEqual([known.status, await known.text(), known.headers.get('etag')], [304, '', etag]);
  assert.equal((await get({ 'if-none-match': '"other"' })).status, 200);
});
