import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from './harness.ts';
import type { OpenapiDocument } from './response-check.ts';

/** Endpoints of the description: all of them, and nothing else without the mark of an extension. */
const described = [
  'POST /api/openapi/auth/token',
  'POST /api/openapi/v1/api-keys',
  'GET /api/openapi/v1/api-keys',
  'GET /api/openapi/v1/api-keys/{keyId}',
  'DELETE /api/openapi/v1/api-keys/{keyId}',
  'POST /api/openapi/v1/teams',
  'GET /api/openapi/v1/teams',
  'GET /api/openapi/v1/teams/{id}',
  'DELETE /api/openapi/v1/teams/{id}',
  'POST /api/openapi/v1/documents',
  'GET /api/openapi/v1/documents',
  'GET /api/openapi/v1/documents/{id}',
  'PATCH /api/openapi/v1/documents/{id}',
  'DELETE /api/openapi/v1/documents/{id}',
  'GET /api/openapi/v1/bots/{id}',
  'PATCH /api/openapi/v1/bots/{id}',
  'POST /api/openapi/v1/bots/{id}/publish',
  'DELETE /api/openapi/v1/bots/{id}',
  'POST /api/openapi/v1/devices',
  'GET /api/openapi/v1/devices/{id}',
  'POST /api/openapi/v1/devices/{id}/connect',
  'GET /api/openapi/v1/devices/{id}/status',
  'DELETE /api/openapi/v1/devices/{id}',
  'POST /api/openapi/v1/send',
];

const publicOperations = new Set(['POST /api/openapi/auth/token']);

const app = await startTestApp();
const document = (await (await fetch(`${app.baseUrl}/api/openapi/openapi.json`)).json()) as OpenapiDocument;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    extension: operation['x-extension'] === true,
  })),
);

test('every route is one of the description or marked as an extension', () => {
  const unmarked = operations.filter(({ extension }) => !extension).map(({ name }) => name);
  assert.deepEqual(unmarked.sort(), [...described].sort());
});

test('every route answers 401 without a token and with a bad one, in one body, unless it is on the public list', async () => {
  const bodies = new Set<string>();
  for (const { name, method, path } of operations.filter((o) => !publicOperations.has(o.name))) {
    const url = app.baseUrl + path.replaceAll(/\{\w+\}/g, '019a0000-0000-7000-8000-000000000000');
    for (const headers of [{}, { authorization: 'Bearer nonsense' }] as Record<string, string>[]) {
      const response = await fetch(url, { method, headers });
      assert.equal(response.status, 401, name);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer', name);
      bodies.add(await response.text());
    }
  }
  assert.equal(bodies.size, 1);
  assert.ok(operations.length > described.length);
});
