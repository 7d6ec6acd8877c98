import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from './harness.ts';
import { type OpenapiDocument, resolveResponse } from './response-check.ts';

/** The routes of the specification. All others must be marked as extensions. */
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

const publicOperations = new Set([
  'POST /api/openapi/auth/token',
  'GET /api/openapi/session/means',
  'POST /api/openapi/session/password',
  'POST /api/openapi/session/setup',
  'POST /api/openapi/session/invitation',
  'POST /api/openapi/session/invitation/accept',
  'POST /api/openapi/session/reset',
  'POST /api/openapi/session/code',
  'POST /api/openapi/session/code/verify',
  'POST /api/openapi/session/recovery',
  'POST /api/openapi/session/oidc/start',
  'POST /api/openapi/session/oidc',
  'POST /api/openapi/session/portal',
  'POST /api/openapi/session/passkey',
  'POST /api/openapi/session/passkey/options',
  'POST /api/openapi/link/status',
  'POST /api/openapi/link/brand',
  'POST /api/openapi/link/connect',
  'POST /api/openapi/link/credentials',
]);

/** Members that extend the specification. */
const extensionMembers = {
  ApiKey: ['role', 'team_id'],
  ConnectionStatus: ['pairing_code', 'restrictions'],
  Document: ['provider_status'],
  PageMeta: ['next_cursor'],
  SentMessage: ['generation', 'messageId', 'status'],
};

const app = await startTestApp();
const document = (await (await fetch(`${app.baseUrl}/api/openapi/openapi.json`)).json()) as OpenapiDocument;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    extension: operation['x-extension'] === true,
    operation,
  })),
);

test('every route is in the specification or marked as an extension', () => {
  const unmarked = operations.filter(({ extension }) => !extension).map(({ name }) => name);
  assert.deepEqual(unmarked.sort(), [...described].sort());
});

test('exactly the members beyond the specification are marked as extensions', () => {
  for (const [title, members] of Object.entries(extensionMembers)) {
    const { properties } = document.components.schemas[title] as { properties: Record<string, object> };
    const marked = Object.entries(properties).filter(([, member]) => 'x-extension' in member);
    assert.deepEqual(marked.map(([name]) => name).sort(), members, title);
  }
});

test('every operation documents its Idempotency-Key as an extension, and its response headers', () => {
  for (const { name, operation } of operations) {
    const key = operation.parameters?.find((parameter) => parameter.in === 'header');
    if (key !== undefined) assert.equal(key['x-extension'], true, name);
    const isMeans = name.endsWith('/session/means');
    assert.equal('429' in operation.responses, name !== 'POST /api/openapi/auth/token' && !isMeans, name);
    assert.equal('401' in operation.responses, !name.includes(' /api/openapi/link/') && !isMeans, name);
    for (const [status, response] of Object.entries(operation.responses)) {
      const { headers = {} } = resolveResponse(document, response) ?? {};
      const where = `${name} ${status}`;
      assert.ok('X-Request-Id' in headers, where);
      assert.equal('WWW-Authenticate' in headers, status === '401', where);
      assert.equal('RateLimit' in headers, status !== '401' && !publicOperations.has(name), where);
      assert.equal(
        'Idempotent-Replayed' in headers,
        key !== undefined && /200|400|403|404/.test(status),
        where,
      );
      assert.equal('X-RateLimit-Used' in headers, name.endsWith('/send') && /200|429/.test(status), where);
      if (/429|503/.test(status)) assert.ok('Retry-After' in headers, where);
    }
  }
});

test('every operation with a path parameter declares 404, except creations and contacts', () => {
  const named = operations.filter(({ path }) => path.includes('{'));
  const never = named.filter(({ operation }) => !('404' in operation.responses));
  assert.deepEqual(never.map(({ name }) => name).sort(), [
    'GET /api/openapi/v1/contacts/{number}',
    'GET /api/openapi/v1/contacts/{number}/consents',
    'PATCH /api/openapi/v1/contacts/{number}',
    'POST /api/openapi/v1/contacts/{number}/erase',
    'POST /api/openapi/v1/contacts/{number}/export',
    'PUT /api/openapi/v1/contacts/{number}/consents',
    'PUT /api/openapi/v1/hosts/{name}',
    'PUT /api/openapi/v1/plans/{name}',
  ]);
});

test('every body and form rejects unknown members', () => {
  for (const { name, operation } of operations) {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
      const { $ref = '' } = schema as { $ref?: string };
      const body = document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? schema;
      assert.equal((body as { additionalProperties?: boolean }).additionalProperties, false, name);
    }
  }
});

test('every list is paged with newest items first, except API keys, passkeys, consents, results of a run and the cursor of events', () => {
  const pages = [
    { name: 'page', schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 } },
    { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  ];
  const unpaged: string[] = [];
  for (const { name, operation } of operations) {
    const content = resolveResponse(document, operation.responses['200'])?.content?.['application/json']
      ?.schema as { properties?: { data?: { type?: string }; meta?: { $ref?: string } } } | undefined;
    if (content?.properties?.data?.type !== 'array' || operation.operationId === 'listEvents') continue;
    if (operation.operationId !== 'listRunResults')
      assert.match(operation.summary, /, newest first(:|$)/, name);
    const found = (operation.parameters ?? []).filter((parameter) => /^(page|limit)$/.test(parameter.name));
    if (found.length === 0 && content.properties.meta === undefined) {
      unpaged.push(operation.operationId);
      continue;
    }
    assert.deepEqual(
      found.map(({ name, schema: { examples: _, ...schema } }) => ({ name, schema })),
      pages,
      name,
    );
    assert.equal(content.properties.meta?.$ref, '#/components/schemas/PageMeta', name);
  }
  // A person has at most 50 sessions, and a contact one decision for each team.
  assert.deepEqual(unpaged, ['listPasskeys', 'listSessions', 'listApiKeys', 'getConsents', 'putConsent']);
});

test('every non-public route returns the same 401 without a token and with a bad one', async () => {
  const bodies = new Set<string>();
  for (const { name, method, path } of operations.filter((o) => !publicOperations.has(o.name))) {
    const url = app.baseUrl + path.replaceAll(/\{\w+\}/g, '019a0000-0000-7000-8000-000000000000');
    for (const [challenge, headers] of [
      ['Bearer error="invalid_request"', {}],
      ['Bearer error="invalid_token"', { authorization: 'Bearer nonsense' }],
    ] as [string, Record<string, string>][]) {
      const response = await fetch(url, { method, headers });
      assert.equal(response.status, 401, name);
      assert.equal(response.headers.get('www-authenticate'), challenge, name);
      bodies.add(await response.text());
    }
  }
  assert.equal(bodies.size, 1);
  assert.ok(operations.length > described.length);
});
