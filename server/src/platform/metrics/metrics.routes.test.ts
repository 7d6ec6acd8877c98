import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';
import { planRoutes } from '../../tenancy/plans/plans.routes.ts';

const app = await startTestApp({
  routes: ({ db }) => [planRoutes({ db })],
});
const read = (baseUrl: string, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl}/metrics`, { headers });

test('counts requests by route template and status and exports process metrics', async () => {
  const secret = 'a-name-that-is-no-label';
  await app.api('DELETE', `/plans/${secret}`);
  await app.api('DELETE', '/plans/another');
  await app.api('GET', '/nothing-here');
  const response = await read(app.baseUrl);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  const text = await response.text();
  const counted =
    /parley_http_requests_total\{method="DELETE",route="\/api\/openapi\/v1\/plans\/:name",status="404"\} 2/;
  assert.match(text, counted);
  assert.match(text, /parley_http_request_duration_seconds_count\{method="DELETE",route="[^"]+:name"\} 2/);
  assert.match(text, /parley_http_requests_total\{method="GET",route="unknown",status="404"\} 1/);
  assert.match(text, /^process_resident_memory_bytes \d+/m);
  assert.doesNotMatch(text, new RegExp(secret));
});

test('returns 404 to other machines and forwarded requests without a token', async () => {
  assert.equal((await read(app.baseUrl)).status, 200);
  const passedOn = await read(app.baseUrl, { 'x-forwarded-for': '192.0.2.1' });
  assert.equal(passedOn.status, 404);
  const absent = await fetch(`${app.baseUrl}/metrical`);
  assert.equal(await passedOn.text(), await absent.text());
});

test('ignores X-Forwarded-For for local access', async () => {
  const { baseUrl } = await startTestApp({
    environment: { TRUSTED_PROXIES: '127.0.0.0/8, ::1' },
    routes: () => [],
  });
  for (const said of ['127.0.0.1', '::1', '192.0.2.1, 127.0.0.1']) {
    assert.equal((await read(baseUrl, { 'x-forwarded-for': said })).status, 404, said);
  }
});

test('requires the configured token', async () => {
  const { baseUrl } = await startTestApp({
    environment: { METRICS_TOKEN: 'scrape-token' },
    routes: () => [],
  });
  assert.equal((await read(baseUrl)).status, 404);
  assert.equal((await read(baseUrl, { authorization: 'Bearer scrape-tokeN' })).status, 404);
  const passedOn = { authorization: 'Bearer scrape-token', 'x-forwarded-for': '192.0.2.1' };
  assert.equal((await read(baseUrl, passedOn)).status, 200);
});
