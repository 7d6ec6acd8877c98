import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../test/eventually.ts';
import { openTestContext, startApiOn, startTestApp } from '../../test/harness.ts';

let now = new Date('2026-11-21T12:00:00.000Z');
const replacements = { clock: { now: () => now } };
// Drawing requests for a key that is gone is refused as well, which would hide how long its state is remembered.
const environment = { RATE_LIMIT_PER_MINUTE: '0' };
const { context, api, baseUrl, issueKey } = await startTestApp({
  replacements,
  environment,
  routes: () => [],
});

const elsewhere = await openTestContext(context.databaseUrl, { replacements, environment });
const other = await startApiOn(elsewhere, { replacements, routes: () => [] });
after(() => elsewhere.close());

const unauthorized = { success: false, error: 'Missing or invalid credentials', code: 'UNAUTHORIZED' };

/** Both processes have seen the token, so that both have it in their caches. */
async function issueAndUse(options: { expiresAt?: Date } = {}) {
  const key = await issueKey(options);
  for (const call of [api, other.api]) {
    assert.equal((await call('GET', '/api-keys', { token: key.token })).status, 200);
  }
  return key;
}

const statuses = async (token: string) => [
  (await api('GET', '/api-keys', { token })).status,
  (await other.api('GET', '/api-keys', { token })).status,
];

/** Well below the time after which a cached state is looked up again, so that it is the notification that counts. */
const soon = 1000;

test('deleting a key ends its tokens in every process', async () => {
  const key = await issueAndUse();
  assert.equal((await api('DELETE', `/api-keys/${key.keyId}`)).status, 200);
  await eventually(async () => assert.deepEqual(await statuses(key.token), [401, 401]), soon);
});

test('deactivating a key ends its tokens in every process, and activating it revives them', async () => {
  const key = await issueAndUse();
  await api('PATCH', `/api-keys/${key.keyId}`, { body: { is_active: false } });
  await eventually(async () => assert.deepEqual(await statuses(key.token), [401, 401]), soon);
  await api('PATCH', `/api-keys/${key.keyId}`, { body: { is_active: true } });
  await eventually(async () => assert.deepEqual(await statuses(key.token), [200, 200]), soon);
});

test('a change that no notification told of counts within five seconds', async () => {
  const key = await issueAndUse();
  await context.db.deleteFrom('api_keys').where('key_id', '=', key.keyId).execute();
  await eventually(async () => assert.deepEqual(await statuses(key.token), [401, 401]), 5000);
});

test('a key that expires ends its tokens, a token ends after a day', async () => {
  const key = await issueAndUse({ expiresAt: new Date(now.getTime() + 60_000) });
  const lasting = await issueAndUse();
  now = new Date(now.getTime() + 60_000);
  assert.deepEqual(await statuses(key.token), [401, 401]);
  assert.deepEqual(await statuses(lasting.token), [200, 200]);
  now = new Date(now.getTime() + 86_400_000);
  assert.deepEqual(await statuses(lasting.token), [401, 401]);
});

test('every token that is not good gets the same answer, byte for byte', async () => {
  const key = await issueKey();
  const [header, claims] = key.token.split('.');
  await context.db.deleteFrom('api_keys').where('key_id', '=', key.keyId).execute();
  const authorizations = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer zz',
    `Basic ${key.token}`,
    key.token,
    `Bearer ${key.token}`,
    `Bearer ${header}.${claims}.zz`,
    `Bearer ${key.token} ${key.token}`,
  ];
  for (const authorization of authorizations) {
    const response = await fetch(`${baseUrl}/api/openapi/v1/api-keys`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    assert.equal(response.status, 401, authorization);
    assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    assert.equal(await response.text(), JSON.stringify(unauthorized));
  }
});
