import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../../test/eventually.ts';
import { openTestContext, startApiOn, startTestApp } from '../../../test/harness.ts';

let now = new Date('2026-11-21T12:00:00.000Z');
const replacements = { clock: { now: () => now } };
// A rate limit would also reject requests of a deleted key, and hide how long its state stays cached.
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

/** Fills the token caches of both processes. */
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

/** Resolves when both processes know that the key has changed. Cached states must not outlive that. */
async function changeIsKnown(keyId: string): Promise<void> {
  await Promise.all(
    [context, elsewhere].map(({ notifications }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const unsubscribe = notifications.subscribe('api-key-changed', (id) => id === keyId && resolve());
      return promise.finally(unsubscribe);
    }),
  );
}

test('rejects the tokens of a deleted key in every process', async () => {
  const key = await issueAndUse();
  const known = changeIsKnown(key.keyId);
  assert.equal((await api('DELETE', `/api-keys/${key.keyId}`)).status, 200);
  await known;
  assert.deepEqual(await statuses(key.token), [401, 401]);
});

async function setActive(keyId: string, is_active: boolean) {
  const known = changeIsKnown(keyId);
  const { status } = await api('PATCH', `/api-keys/${keyId}`, { body: { is_active } });
  assert.equal(status, 200);
  await known;
}

const exchange = async (key: { keyId: string; secret: string }): Promise<string> => {
  const { body } = await api('POST', '/api/openapi/auth/token', {
    token: null,
    body: { key_id: key.keyId, key_secret: key.secret },
  });
  return body.data.access_token;
};

test('rejects the tokens of a deactivated key in every process, also after the key is activated again', async () => {
  const key = await issueAndUse();
  await setActive(key.keyId, false);
  assert.deepEqual(await statuses(key.token), [401, 401]);
  await setActive(key.keyId, true);
  // The clock stands still: the new token has the same issue time as the revoked one.
  const token = await exchange(key);
  assert.deepEqual(await statuses(token), [200, 200]);
  assert.deepEqual(await statuses(key.token), [401, 401]);
  await setActive(key.keyId, true);
  assert.deepEqual(await statuses(token), [200, 200]);
  await setActive(key.keyId, false);
  await setActive(key.keyId, false);
  await setActive(key.keyId, true);
  assert.deepEqual(await statuses(token), [401, 401]);
});

test('accepts a new token at once where the deactivation is not known yet', async () => {
  const key = await issueAndUse();
  await context.db
    .updateTable('api_keys')
    .set({ token_generation: 1 })
    .where('key_id', '=', key.keyId)
    .execute();
  const token = await exchange(key);
  assert.deepEqual(await statuses(token), [200, 200]);
  await eventually(async () => assert.deepEqual(await statuses(key.token), [401, 401]), 5000);
});

test('applies a change within five seconds if its notification was lost', async () => {
  const key = await issueAndUse();
  await context.db.deleteFrom('api_keys').where('key_id', '=', key.keyId).execute();
  await eventually(async () => assert.deepEqual(await statuses(key.token), [401, 401]), 5000);
});

test('rejects the tokens of an expired key, and tokens older than a day', async () => {
  const key = await issueAndUse({ expiresAt: new Date(now.getTime() + 60_000) });
  const lasting = await issueAndUse();
  now = new Date(now.getTime() + 60_000);
  assert.deepEqual(await statuses(key.token), [401, 401]);
  assert.deepEqual(await statuses(lasting.token), [200, 200]);
  now = new Date(now.getTime() + 86_400_000);
  assert.deepEqual(await statuses(lasting.token), [401, 401]);
});

test('returns the same bytes for every invalid token, and tells only a missing one apart', async () => {
  const key = await issueKey();
  const [header, claims] = key.token.split('.');
  await context.db.deleteFrom('api_keys').where('key_id', '=', key.keyId).execute();
  const withoutToken = [undefined, '', 'Bearer', 'Bearer ', `Basic ${key.token}`, key.token];
  const withInvalidToken = [
    'Bearer zz',
    `Bearer ${key.token}`,
    `Bearer ${header}.${claims}.zz`,
    `Bearer ${key.token} ${key.token}`,
  ];
  for (const authorization of [...withoutToken, ...withInvalidToken]) {
    const response = await fetch(`${baseUrl}/api/openapi/v1/api-keys`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    assert.equal(response.status, 401, authorization);
    const cause = withoutToken.includes(authorization) ? 'invalid_request' : 'invalid_token';
    assert.equal(response.headers.get('www-authenticate'), `Bearer error="${cause}"`, authorization);
    assert.equal(await response.text(), JSON.stringify(unauthorized));
  }
});
