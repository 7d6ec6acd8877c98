import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { startApiOn, startTestApp, type TestAppOptions } from '../../../../test/harness.ts';
import { planRoutes } from '../../../tenancy/plans/plans.routes.ts';
import { notFound } from '../errors.ts';
import type { Routes } from '../fastify-app.ts';
import { operation, success } from '../operation.ts';

const limit = 20;
const sendDetails = { quota: 100, used: 7, limit: 105 };

/** Imitates send: nested errors, and details about the device in the body. */
const sendRoutes: Routes = (app) => {
  app.post(
    '/api/openapi/v1/send-like',
    operation({
      id: 'sendLike',
      summary: 'Like send',
      description: 'For this test',
      tag: 'Test',
      access: 'anyKey',
      nestedErrors: true,
      errors: [404],
      rateLimitErrorDetails: async (request) => {
        if ((request.body as { device: string }).device !== 'known') throw notFound('device');
        return sendDetails;
      },
      body: Type.Object({ device: Type.String() }, { additionalProperties: false }),
      data: Type.Object({}),
    }),
    async () => success({}),
  );
};

const options: TestAppOptions = {
  environment: { RATE_LIMIT_PER_MINUTE: String(limit) },
  routes: ({ db }) => [planRoutes({ db }), sendRoutes],
};
const { api, context, issueKey } = await startTestApp(options);

/** A key that has reached its limit. */
async function exhaustedKey(): Promise<string> {
  const { token } = await issueKey();
  for (let i = 0; i < limit; i++) await api('GET', '/plans', { token });
  return token;
}

test('sends the rate limit headers with every authenticated response', async () => {
  const { token } = await issueKey();
  const { headers } = await api('GET', '/plans', { token });
  assert.equal(headers.get('ratelimit-policy'), `"minute";q=${limit};w=60`);
  assert.match(headers.get('ratelimit') ?? '', /^"minute";r=19;t=(60|59)$/);
  const absent = await api('GET', '/nothing', { token });
  assert.equal(absent.status, 404);
  assert.match(absent.headers.get('ratelimit') ?? '', /^"minute";r=18;/);
  for (const name of headers.keys()) assert.doesNotMatch(name, /^x-ratelimit/);
  assert.equal((await api('GET', '/plans', { token: null })).headers.get('ratelimit'), null);
});

test('rejects a request over the limit before reading its body, with Retry-After', async () => {
  const token = await exhaustedKey();
  const { status, body, headers } = await api('PUT', '/plans/pro', { token, body: '{"broken' });
  assert.equal(status, 429);
  assert.equal(body.code, 'RATE_LIMIT_EXCEEDED');
  assert.deepEqual(body.details, { reason: 'request_rate' });
  const retryAfter = Number(headers.get('retry-after'));
  assert.ok(retryAfter >= 1 && retryAfter <= 60, `${retryAfter}`);
  assert.equal(headers.get('ratelimit'), `"minute";r=0;t=${retryAfter}`);
  assert.equal((await api('GET', '/plans')).status, 200, 'other keys are not concerned');
});

test('returns the nested error and the team quota when send is rate limited', async () => {
  const token = await exhaustedKey();
  const send = (body: object) => api('POST', '/send-like', { token, body });
  const { status, body, headers } = await send({ device: 'known' });
  assert.equal(status, 429);
  assert.equal(body.error.code, 'RATE_LIMIT_EXCEEDED');
  assert.deepEqual(body.error.details, { reason: 'request_rate', ...sendDetails });
  assert.ok(Number(headers.get('retry-after')) >= 1);
  assert.equal((await send({})).status, 400);
  assert.equal((await send({ device: 'unknown' })).status, 404);
});

test('shares the limit between two apis on one database', async () => {
  const other = await startApiOn(context, options);
  const { token } = await issueKey();
  const both = Array.from({ length: 2 * limit }, (_, i) => (i % 2 === 0 ? api : other.api));
  const answers = await Promise.all(both.map((call) => call('GET', '/plans', { token })));
  assert.equal(answers.filter(({ status }) => status === 200).length, limit);
});

test('sends no headers and limits nothing with a limit of 0', async () => {
  const unlimited = await startTestApp({ ...options, environment: { RATE_LIMIT_PER_MINUTE: '0' } });
  const { status, headers } = await unlimited.api('GET', '/plans');
  assert.equal(status, 200);
  assert.equal(headers.get('ratelimit'), null);
});
