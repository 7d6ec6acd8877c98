import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { startTestApp } from '../../../test/harness.ts';
import { composeApi } from '../../process/compose/api.ts';
import { readConfig } from '../../process/config.ts';

const { context, api, issueKey } = await startTestApp({ routes: () => [] });
const url = '/api/openapi/auth/token';

const exchange = (key_id: string, key_secret: string) =>
  api('POST', url, { token: null, body: { key_id, key_secret } });

test('exchanges a key for a bearer token that lasts a day', async () => {
  const key = await issueKey();
  const { status, body, headers } = await exchange(key.keyId, key.secret);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.data), ['access_token', 'token_type', 'expires_in']);
  assert.equal(body.data.token_type, 'Bearer');
  assert.equal(body.data.expires_in, 86_400);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal((await api('GET', '/api-keys', { token: body.data.access_token })).status, 200);
});

test('returns the same response for unknown, wrong, inactive and expired credentials', async () => {
  const good = await issueKey();
  const inactive = await issueKey();
  await api('PATCH', `/api-keys/${inactive.keyId}`, { body: { is_active: false } });
  const expired = await issueKey();
  await context.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(context.clock.now().getTime() - 1000) })
    .where('key_id', '=', expired.keyId)
    .execute();
  const answers = [
    await exchange('pk_00000000000000000000', good.secret),
    await exchange('no such key', good.secret),
    await exchange(good.keyId, inactive.secret),
    await exchange(good.keyId, `${good.secret}0`),
    await exchange(good.keyId.toUpperCase(), good.secret),
    await exchange(inactive.keyId, inactive.secret),
    await exchange(expired.keyId, expired.secret),
  ];
  const unlike = ['date', 'x-request-id'];
  const visible = answers.map(({ status, headers, bytes }) => ({
    status,
    headers: [...headers].filter(([name]) => !unlike.includes(name)),
    body: Buffer.from(bytes).toString(),
  }));
  assert.equal(visible[0]?.status, 401);
  for (const answer of visible) assert.deepEqual(answer, visible[0]);
});

test('rejects a body that is not credentials with 400', async () => {
  for (const body of [
    {},
    { key_id: 'a' },
    { key_id: 1, key_secret: 'x' },
    { key_id: '', key_secret: 'x' },
    'zz',
    [],
  ]) {
    assert.equal((await api('POST', url, { token: null, body })).status, 400);
  }
  const extra = await api('POST', url, {
    token: null,
    body: { key_id: 'a', key_secret: 'b', scope: 'global' },
  });
  assert.deepEqual(extra.body.details.issues, [{ path: 'scope', message: 'is not a known field' }]);
});

/** Exchanges from an address, by an api that trusts these proxies. */
async function exchangesThrough(environment: Record<string, string>) {
  const proxied = { ...context, config: { ...context.config, ...readConfig(environment) } };
  const { app, close } = await composeApi(proxied, proxied, { resources: [] });
  after(() => close());
  const key = await issueKey();
  return (
    remoteAddress: string,
    forwardedFor: string | null,
    secret = key.secret,
    payload = JSON.stringify({ key_id: key.keyId, key_secret: secret }),
  ) =>
    app.inject({
      method: 'POST',
      url,
      remoteAddress,
      headers: {
        'content-type': 'application/json',
        ...(forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor }),
      },
      payload,
    });
}

/** Sends `count` exchanges and returns the last one. */
async function fail(count: number, exchange: () => Promise<LightMyRequestResponse>) {
  const answers = await Promise.all(Array.from({ length: count }, exchange));
  return answers.at(-1);
}

test('adds Retry-After to failures of a key id over 60 a minute and still accepts the secret', async () => {
  const post = await exchangesThrough({});
  const failures = await Promise.all(Array.from({ length: 60 }, () => post('192.0.2.1', null, 'wrong')));
  for (const { statusCode, headers } of failures) {
    assert.equal(statusCode, 401);
    assert.equal(headers['retry-after'], undefined);
  }
  const limited = await post('192.0.2.1', null, 'wrong');
  assert.equal(limited.statusCode, 401);
  assert.equal(limited.body, failures[0]?.body);
  const wait = Number(limited.headers['retry-after']);
  assert.ok(wait > 0 && wait <= 60, `waits ${wait} s`);
  const other = await post('192.0.2.2', null, 'wrong');
  assert.equal(other.headers['retry-after'], undefined);
  assert.equal((await post('192.0.2.1', null)).statusCode, 200);
});

test('rejects malformed bodies over 600 a minute with 401 and Retry-After, and still accepts a secret', async () => {
  const post = await exchangesThrough({});
  const malformed = (payload: string) => () => post('192.0.2.1', null, undefined, payload);
  const statuses = [
    await fail(200, malformed('{')),
    await fail(200, malformed('{"key_id":1}')),
    await fail(200, malformed(`"${'x'.repeat(5000)}"`)),
  ].map((answer) => [answer?.statusCode, answer?.json().details.reason]);
  assert.deepEqual(statuses, [
    [400, 'malformed_json'],
    [400, 'validation'],
    [400, 'body_too_large'],
  ]);
  for (const limited of [await fail(1, malformed('{')), await post('192.0.2.1', null, 'wrong')]) {
    assert.equal(limited?.statusCode, 401);
    assert.ok(Number(limited?.headers['retry-after']) > 0);
  }
  assert.equal((await fail(1, () => post('192.0.2.2', null, undefined, '{')))?.statusCode, 400);
  assert.equal((await post('192.0.2.1', null)).statusCode, 200);
});

test('accepts a body of 4 KiB and rejects a larger one', async () => {
  const { keyId, secret } = await issueKey();
  const body = JSON.stringify({ key_id: keyId, key_secret: secret });
  assert.equal((await api('POST', url, { token: null, body: body.padEnd(4096) })).status, 200);
  const larger = await api('POST', url, { token: null, body: body.padEnd(4097) });
  assert.equal(larger.status, 400);
  assert.equal(larger.body.details.reason, 'body_too_large');
});

const isLimited = ({ headers }: LightMyRequestResponse) => headers['retry-after'] !== undefined;

test('ignores X-Forwarded-For without trusted proxies', async () => {
  const post = await exchangesThrough({});
  await Promise.all(Array.from({ length: 60 }, (_, n) => post('192.0.2.1', `198.51.100.${n}`, 'wrong')));
  assert.ok(isLimited(await post('192.0.2.1', '198.51.100.99', 'wrong')));
  assert.ok(!isLimited(await post('192.0.2.2', '192.0.2.1', 'wrong')), 'one client cannot limit another');
});

test('uses the last address that is no trusted proxy', async () => {
  const post = await exchangesThrough({ TRUSTED_PROXIES: '10.0.0.0/8,192.0.2.7' });
  const guesses = Array.from({ length: 60 }, (_, n) =>
    post(n % 2 === 0 ? '10.0.0.1' : '192.0.2.7', `203.0.113.${n}, 198.51.100.1, 10.1.2.3`, 'wrong'),
  );
  assert.ok(!(await Promise.all(guesses)).some(isLimited));
  assert.ok(isLimited(await post('10.0.0.1', '203.0.113.77, 198.51.100.1', 'wrong')));
  assert.ok(!isLimited(await post('10.0.0.1', '198.51.100.2', 'wrong')));
  assert.ok(!isLimited(await post('192.0.2.8', '198.51.100.1', 'wrong')), 'a peer that is no proxy');
});

test('refuses to start with an invalid proxy address', () => {
  assert.throws(
    () => readConfig({ TRUSTED_PROXIES: 'proxy.internal' }),
    /TRUSTED_PROXIES: proxy\.internal must be/,
  );
});
