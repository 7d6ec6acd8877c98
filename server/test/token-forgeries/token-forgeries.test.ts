import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createAccessTokens } from '../../src/tenancy/access-tokens/access-tokens.ts';
import { eventually } from '../eventually.ts';
import { repetitions } from '../faults/repetitions.ts';
import { openTestContext, startApiOn, startTestApp } from '../harness.ts';
import { openWire } from '../openapi/wire.ts';
import { createForger, decode, splitToken } from './forge.ts';
import { tokenForgeries } from './token-forgeries.ts';

const app = await startTestApp({ routes: () => [] });
const { context, key, issueKey, api } = app;
const otherContext = await openTestContext(context.databaseUrl);
const other = await startApiOn(otherContext, { routes: () => [] });
after(() => otherContext.close());
const wires = [app, other].map(({ baseUrl }) => openWire(baseUrl));
after(() => {
  for (const wire of wires) wire.close();
});

const { signingKey } = context.encryption;
const target = '/api/openapi/v1/api-keys';
const refusal = '{"success":false,"error":"Missing or invalid credentials","code":"UNAUTHORIZED"}';

/** Asserts that both processes return the same 401 for these headers. */
async function assertRefused(
  headers: readonly string[],
  title: string,
  { path = target, error = 'invalid_token' } = {},
): Promise<void> {
  for (const wire of wires) {
    const answer = await wire.send({ method: 'GET', target: path, headers, body: null });
    assert.equal(answer.status, 401, title);
    assert.equal(answer.text, refusal, title);
    assert.equal(answer.headers['www-authenticate'], `Bearer error="${error}"`, title);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', title);
  }
}

const bearer = (token: string) => ['authorization', `Bearer ${token}`];

test('accepts a token that the forger signs unchanged, so each forgery fails only because of its flaw', async () => {
  const resigned = createForger({ token: key.token, signingKey }).forge({});
  assert.equal(resigned, key.token);
  assert.equal((await api('GET', '/api-keys', { token: resigned })).status, 200);
});

test('refuses every forged token with the same response', async () => {
  const forgeries = tokenForgeries({ token: key.token, signingKey });
  assert.ok(forgeries.length >= 60, `${forgeries.length} forgeries`);
  assert.equal(new Set(forgeries.map(({ token }) => token)).size, forgeries.length, 'all forgeries differ');
  for (const { flaw, token } of forgeries) await assertRefused(bearer(token), flaw);
});

test('accepts a valid token only as a Bearer header', async () => {
  const { token } = key;
  const withoutToken: [title: string, headers: string[], path?: string][] = [
    ['no header', []],
    ['an empty header', ['authorization', '']],
    ['no scheme', ['authorization', token]],
    ['another scheme', ['authorization', `Basic ${token}`]],
    ['a scheme with the prefix Bearer', ['authorization', `Bearers ${token}`]],
    ['a space and a tab', ['authorization', `Bearer \t${token}`]],
    ['a tab', ['authorization', `Bearer\t${token}`]],
    ['no space', ['authorization', `Bearer${token}`]],
    ['a cookie', ['cookie', `access_token=${token}; authorization=Bearer ${token}`]],
    ["a proxy's header", ['proxy-authorization', `Bearer ${token}`]],
    ['another header', ['x-authorization', `Bearer ${token}`]],
    ['the query', [], `${target}?access_token=${token}&authorization=Bearer%20${token}`],
  ];
  for (const [title, headers, path = target] of withoutToken)
    await assertRefused(headers, title, { path, error: 'invalid_request' });

  const withToken: [title: string, headers: string[]][] = [
    ['quotes', ['authorization', `Bearer "${token}"`]],
    ['a name', ['authorization', `Bearer token=${token}`]],
    ['a second token', ['authorization', `Bearer ${token}, Bearer ${token}`]],
    ['a repeated header, the invalid one first', [...bearer('x.y.z'), ...bearer(token)]],
    ['characters outside ASCII', ['authorization', `Bearer ${token}\u00e9`]],
  ];
  for (const [title, headers] of withToken) await assertRefused(headers, title);
});

test('refuses the token of another deployment, signed with either key', async () => {
  const [, body] = splitToken(key.token);
  const installationId = String(decode(body)['iss']).replace('parley:', '');
  const { clock } = context;
  const issuers = [
    createAccessTokens({ signingKey, installationId: 'elsewhere', clock }),
    createAccessTokens({ signingKey: new Uint8Array(32).fill(9), installationId, clock }),
  ];
  for (const issuer of issuers) {
    const token = issuer.issue({ keyId: key.keyId, scope: { kind: 'all' }, generation: 0 });
    await assertRefused(bearer(token), 'a token of another deployment');
  }
});

/** FULL_FAULTS=1 asserts the guaranteed five seconds. The short run allows more, because other tests run beside it. */
const withinMs = repetitions(20_000, 5_000);

test('refuses tokens of deleted, deactivated and expired keys within five seconds in every process', async () => {
  const [deleted, deactivated] = [await issueKey(), await issueKey()];
  const expiring = await issueKey({ expiresAt: new Date(Date.now() + 3_600_000) });
  for (const { token } of [deleted, deactivated, expiring]) {
    for (const process of [app, other]) {
      assert.equal((await process.api('GET', '/api-keys', { token })).status, 200);
    }
  }
  const responses = [
    await api('DELETE', `/api-keys/${deleted.keyId}`),
    await api('PATCH', `/api-keys/${deactivated.keyId}`, { body: { is_active: false } }),
  ];
  for (const { status, body } of responses) assert.equal(status, 200, JSON.stringify(body));
  // One hour ago, because the API's clock may lag behind the database's clock.
  await sql`
    update api_keys set expires_at = now() - interval '1 hour' where key_id = ${expiring.keyId}`.execute(
    app.context.db,
  );
  for (const { token, keyId } of [deleted, deactivated, expiring]) {
    await eventually(() => assertRefused(bearer(token), keyId), withinMs);
  }
});
