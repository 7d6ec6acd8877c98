import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createAccessTokens } from '../../src/access-tokens/access-tokens.ts';
import { eventually } from '../eventually.ts';
import { repetitions } from '../faults/repetitions.ts';
import { openTestContext, startApiOn, startTestApp } from '../harness.ts';
import { openWire } from '../openapi/wire.ts';
import { createForger, read, splitToken } from './forge.ts';
import { tokenForgeries } from './token-forgeries.ts';

const app = await startTestApp({ routes: () => [] });
const { context, key, issueKey, api } = app;
const elsewhere = await openTestContext(context.databaseUrl);
const other = await startApiOn(elsewhere, { routes: () => [] });
after(() => elsewhere.close());
const wires = [app, other].map(({ baseUrl }) => openWire(baseUrl));
after(() => {
  for (const wire of wires) wire.close();
});

const { signingKey } = context.encryption;
const target = '/api/openapi/v1/api-keys';
const refusal = '{"success":false,"error":"Missing or invalid credentials","code":"UNAUTHORIZED"}';

/** Whether both processes return the same 401 for these headers. */
async function assertRefused(headers: readonly string[], what: string, path = target): Promise<void> {
  for (const wire of wires) {
    const answer = await wire.send({ method: 'GET', target: path, headers, body: null });
    assert.equal(answer.status, 401, what);
    assert.equal(answer.text, refusal, what);
    assert.equal(answer.headers['www-authenticate'], 'Bearer', what);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', what);
  }
}

const bearer = (token: string) => ['authorization', `Bearer ${token}`];

test('accepts a correctly forged token, so that each forgery fails only by its change', async () => {
  const byHand = createForger({ token: key.token, signingKey }).forge({});
  assert.equal(byHand, key.token);
  assert.equal((await api('GET', '/api-keys', { token: byHand })).status, 200);
});

test('refuses every forged token with the same response', async () => {
  const forgeries = tokenForgeries({ token: key.token, signingKey });
  assert.ok(forgeries.length >= 60, `${forgeries.length} forgeries`);
  assert.equal(new Set(forgeries.map(({ token }) => token)).size, forgeries.length, 'each another');
  for (const { overlooks, token } of forgeries) await assertRefused(bearer(token), overlooks);
});

test('accepts a valid token only as a Bearer header', async () => {
  const { token } = key;
  const ways: [what: string, headers: string[], path?: string][] = [
    ['no header', []],
    ['an empty header', ['authorization', '']],
    ['no scheme', ['authorization', token]],
    ['another scheme', ['authorization', `Basic ${token}`]],
    ['a scheme that begins alike', ['authorization', `Bearers ${token}`]],
    ['a blank and a tab', ['authorization', `Bearer \t${token}`]],
    ['a tab', ['authorization', `Bearer\t${token}`]],
    ['no blank', ['authorization', `Bearer${token}`]],
    ['quotes', ['authorization', `Bearer "${token}"`]],
    ['a name', ['authorization', `Bearer token=${token}`]],
    ['a second token', ['authorization', `Bearer ${token}, Bearer ${token}`]],
    ['a header that stands twice, the bad one first', [...bearer('x.y.z'), ...bearer(token)]],
    ['letters beyond ASCII', ['authorization', `Bearer ${token}\u00e9`]],
    ['a cookie', ['cookie', `access_token=${token}; authorization=Bearer ${token}`]],
    ["a proxy's header", ['proxy-authorization', `Bearer ${token}`]],
    ["another's header", ['x-authorization', `Bearer ${token}`]],
    ['the query', [], `${target}?access_token=${token}&authorization=Bearer%20${token}`],
  ];
  for (const [what, headers, path] of ways) await assertRefused(headers, what, path);
});

test("refuses another deployment's token under either key", async () => {
  const [, body] = splitToken(key.token);
  const installationId = String(read(body)['iss']).replace('parley:', '');
  const { clock } = context;
  const issuers = [
    createAccessTokens({ signingKey, installationId: 'elsewhere', clock }),
    createAccessTokens({ signingKey: new Uint8Array(32).fill(9), installationId, clock }),
  ];
  for (const issuer of issuers) {
    const token = issuer.issue({ keyId: key.keyId, scope: { kind: 'all' } });
    await assertRefused(bearer(token), 'of another deployment');
  }
});

/** Five seconds are guaranteed and asserted with FULL_FAULTS=1. Other tests may slow the short run. */
const withinMs = repetitions(20_000, 5_000);

test('refuses tokens of deleted, deactivated and expired keys within five seconds in every process', async () => {
  const [deleted, deactivated] = [await issueKey(), await issueKey()];
  const expiring = await issueKey({ expiresAt: new Date(Date.now() + 3_600_000) });
  for (const { token } of [deleted, deactivated, expiring]) {
    for (const process of [app, other]) {
      assert.equal((await process.api('GET', '/api-keys', { token })).status, 200);
    }
  }
  const ends = [
    await api('DELETE', `/api-keys/${deleted.keyId}`),
    await api('PATCH', `/api-keys/${deactivated.keyId}`, { body: { is_active: false } }),
  ];
  for (const { status, body } of ends) assert.equal(status, 200, JSON.stringify(body));
  // Long ago, because the API's clock may lag behind the database's.
  await sql`
    update api_keys set expires_at = now() - interval '1 hour' where key_id = ${expiring.keyId}`.execute(
    app.context.db,
  );
  for (const { token, keyId } of [deleted, deactivated, expiring]) {
    await eventually(() => assertRefused(bearer(token), keyId), withinMs);
  }
});
