import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../test/harness.ts';
import { composeApi } from '../compose.ts';

const { foundations, api, issueKey } = await startTestApp({ routes: () => [] });
const url = '/api/openapi/auth/token';

const exchange = (key_id: string, key_secret: string) =>
  api('POST', url, { token: null, body: { key_id, key_secret } });

test('a key is exchanged for a bearer token of a day', async () => {
  const key = await issueKey();
  const { status, body, headers } = await exchange(key.keyId, key.secret);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.data), ['access_token', 'token_type', 'expires_in']);
  assert.equal(body.data.token_type, 'Bearer');
  assert.equal(body.data.expires_in, 86_400);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal((await api('GET', '/api-keys', { token: body.data.access_token })).status, 200);
});

test('unknown, wrong, inactive and expired credentials are answered alike', async () => {
  const good = await issueKey();
  const inactive = await issueKey();
  await api('PATCH', `/api-keys/${inactive.keyId}`, { body: { is_active: false } });
  const expired = await issueKey();
  await foundations.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('key_id', '=', expired.keyId)
    .execute();
  const answers = [
    await exchange('pk_00000000000000000000', good.secret),
    await exchange('no such key', good.secret),
    await exchange(good.keyId, inactive.secret),
    await exchange(good.keyId, `${good.secret}0`),
    await exchange(good.keyId.toLowerCase(), good.secret),
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

test('a body that is not credentials is a bad request', async () => {
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
  assert.deepEqual(extra.body.details.issues, [{ path: 'scope', message: 'is not known here' }]);
});

test('after sixty failures an address is refused for the rest of the minute, other addresses are not', async () => {
  const key = await issueKey();
  const { app, close } = await composeApi(foundations, { resources: [] });
  const post = (remoteAddress: string, secret: string) =>
    app.inject({
      method: 'POST',
      url,
      remoteAddress,
      payload: { key_id: key.keyId, key_secret: secret },
    });
  try {
    const failures = await Promise.all(Array.from({ length: 60 }, () => post('192.0.2.1', 'wrong')));
    for (const { statusCode, headers } of failures) {
      assert.equal(statusCode, 401);
      assert.equal(headers['retry-after'], undefined);
    }
    const refused = await post('192.0.2.1', key.secret);
    assert.equal(refused.statusCode, 401);
    assert.equal(refused.body, failures[0]?.body);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 0 && wait <= 60, `waits ${wait} s`);
    assert.equal((await post('192.0.2.2', key.secret)).statusCode, 200);
  } finally {
    await close();
  }
});
