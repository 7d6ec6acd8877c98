import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';

const origin = 'https://console.example.com';
const routes = () => [];
const open = await startTestApp({ environment: { CORS_ORIGINS: `${origin}, https://x.example` }, routes });
const closed = await startTestApp({ routes });
const ask = ({ baseUrl }: { baseUrl: string }, init: RequestInit) =>
  fetch(`${baseUrl}/api/openapi/v1/api-keys`, init);
const preflight = {
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST' },
};

test('answers the preflight of a configured origin without a token', async () => {
  const response = await ask(open, preflight);
  assert.equal(response.status, 200);
  assert.equal(await response.text(), '');
  assert.equal(response.headers.get('access-control-allow-origin'), origin);
  assert.match(response.headers.get('access-control-allow-methods') ?? '', /POST.*PATCH/);
  assert.match(
    response.headers.get('access-control-allow-headers') ?? '',
    /Authorization.*Idempotency-Key.*Last-Event-ID/,
  );
  assert.equal(response.headers.get('access-control-allow-credentials'), null);
});

test('lets a configured origin read responses, errors and the documented headers', async () => {
  for (const token of [open.key.token, 'bad']) {
    const response = await ask(open, { headers: { origin, authorization: `Bearer ${token}` } });
    assert.equal(response.status, token === 'bad' ? 401 : 200);
    assert.equal(response.headers.get('access-control-allow-origin'), origin);
    assert.equal(response.headers.get('vary'), 'Origin');
    const exposed = response.headers.get('access-control-expose-headers') ?? '';
    for (const name of ['X-Request-Id', 'RateLimit', 'Retry-After', 'X-RateLimit-Remaining']) {
      assert.ok(exposed.includes(name), name);
    }
  }
});

test('allows nothing to another origin and sends Vary', async () => {
  const foreign = {
    ...preflight,
    headers: { ...preflight.headers, origin: 'https://console.example.com.evil' },
  };
  const response = await ask(open, foreign);
  assert.equal(response.status, 401);
  assert.equal(response.headers.get('access-control-allow-origin'), null);
  assert.equal(response.headers.get('vary'), 'Origin');
});

test('sends no CORS headers without configured origins', async () => {
  const response = await ask(closed, preflight);
  assert.equal(response.status, 401);
  for (const name of response.headers.keys()) assert.doesNotMatch(name, /^access-control|^vary$/);
});
