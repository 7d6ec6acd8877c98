import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { countLockWaiters } from '../../../test/lock-waits.ts';
import { createStoredResults } from '../../platform/http/idempotency/stored-results.ts';
import { newId } from '../../platform/shared/ids.ts';
import { composeApi } from '../../process/compose/api.ts';
import { teamRoutes } from '../teams/teams.routes.ts';

const { api, key, issueKey, context } = await startTestApp({
  routes: (deps) => [teamRoutes(deps)],
});

const soon = () => new Date(Date.now() + 3_600_000).toISOString();
const create = (body: object, headers = {}) =>
  api('POST', '/api-keys', { body: { name: 'Mine', ...body }, headers });

async function newTeam(): Promise<string> {
  const user = { name: 'Ana', email: 'ana@example.com' };
  return (await api('POST', '/teams', { body: { user, team: { name: 'Team' } } })).body.data.team.id;
}

const exchange = async (key_id: string, key_secret: string) =>
  api('POST', '/api/openapi/auth/token', { token: null, body: { key_id, key_secret } });

test('returns the secret of a new key only once and stores it nowhere', async () => {
  const { status, body } = await create({});
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.data), ['key_id', 'key_secret', 'name', 'created_at']);
  const { key_id, key_secret } = body.data;
  assert.match(key_id, /^pk_[0-9A-Za-z]{20}$/);
  assert.match(key_secret, /^sk_[0-9A-Za-z]{49}$/);
  assert.equal((await exchange(key_id, key_secret)).status, 200);

  const shown = (await api('GET', `/api-keys/${key_id}`)).body.data;
  assert.deepEqual(
    { ...shown, created_at: undefined, last_used: undefined },
    {
      key_id,
      name: 'Mine',
      scope: 'global',
      is_active: true,
      expires_at: null,
      last_used: undefined,
      created_at: undefined,
    },
  );
  const list = (await api('GET', '/api-keys')).body;
  assert.equal(list.meta, undefined);
  assert.equal(list.data[0].key_id, key_id);
  assert.equal(JSON.stringify([shown, list]).includes(key_secret), false);
  const rows = await context.db.selectFrom('api_keys').selectAll().execute();
  assert.equal(
    rows.some((row) => JSON.stringify(row).includes(key_secret)),
    false,
  );
  assert.equal(
    rows.some((row) => row.secret_hash.includes(key_secret)),
    false,
  );
});

test('stores an expiry in UTC', async () => {
  const { body } = await create({ expires_at: '2999-01-01T01:00:00+01:00' });
  assert.equal(
    (await api('GET', `/api-keys/${body.data.key_id}`)).body.data.expires_at,
    '2999-01-01T00:00:00.000Z',
  );
});

const refused: [string, object, string][] = [
  ['no name', { name: undefined }, 'name'],
  ['an empty name', { name: '' }, 'name'],
  ['a name of blanks', { name: '  ' }, 'name'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
  ['a name with a NUL', { name: 'a\0b' }, 'name'],
  ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ['an expiry that is no time', { expires_at: 'tomorrow' }, 'expires_at'],
  ['an expiry on a day that is none', { expires_at: '2999-02-30T00:00:00Z' }, 'expires_at'],
  ['an expiry in a leap second', { expires_at: '2999-12-31T23:59:60Z' }, 'expires_at'],
  ['an expiry beyond the years of four digits', { expires_at: '9999-12-31T23:59:59-12:00' }, 'expires_at'],
  ['an unknown scope', { scope: 'admin' }, 'scope'],
  ['scope team without a team', { scope: 'team' }, 'team_id'],
  ['scope global with a team', { scope: 'global', team_id: crypto.randomUUID() }, 'team_id'],
  ['a team that does not exist', { scope: 'team', team_id: crypto.randomUUID() }, 'team_id'],
  ['a secret of its own', { key_secret: 'sk_x' }, 'key_secret'],
  ['an active flag', { is_active: false }, 'is_active'],
];
for (const [what, body, path] of refused) {
  test(`rejects a key with ${what}`, async () => {
    const { status, body: answer } = await create(body);
    assert.equal(status, 400);
    assert.equal(answer.code, 'BAD_REQUEST');
    assert.equal(answer.details.reason, 'validation');
    assert.ok(answer.details.issues.some((issue: { path: string }) => issue.path === path));
  });
}

test('names the key but not its secret in a retry with the same Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await create({ expires_at: '2999-01-01T00:00:00Z' }, headers);
  const again = await create({ expires_at: '2999-01-01T00:00:00Z' }, headers);
  assert.equal(again.status, 400);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body.details, {
    reason: 'idempotency_secret_shown',
    key_id: first.body.data.key_id,
  });
  const { db } = context;
  const { api_key_id: apiKeyId, ...row } = await db
    .selectFrom('idempotency_keys')
    .select(['api_key_id', 'method', 'path', 'key'])
    .executeTakeFirstOrThrow();
  const claim = { fingerprint: Buffer.alloc(0), claim: newId(), claimSeconds: 0 };
  const kept = await db
    .transaction()
    .execute((tx) => createStoredResults(context).find(tx, { apiKeyId, ...row, ...claim }));
  assert.ok(JSON.stringify(kept?.result).includes(first.body.data.key_id));
  for (const shown of [kept?.result, again.body]) {
    assert.ok(!JSON.stringify(shown).includes(first.body.data.key_secret));
  }
});

test('renames, deactivates and activates a key', async () => {
  const { keyId, secret } = await issueKey();
  const path = `/api-keys/${keyId}`;
  const off = await api('PATCH', path, { body: { name: 'Renamed', is_active: false } });
  assert.equal(off.status, 200);
  assert.deepEqual([off.body.data.name, off.body.data.is_active], ['Renamed', false]);
  assert.equal((await exchange(keyId, secret)).status, 401);
  const on = await api('PATCH', path, { body: { is_active: true } });
  assert.deepEqual([on.body.data.name, on.body.data.is_active], ['Renamed', true]);
  assert.equal((await exchange(keyId, secret)).status, 200);
  assert.equal((await api('PATCH', path, { body: {} })).body.data.name, 'Renamed');
  for (const body of [{ name: '' }, { is_active: 'no' }, { scope: 'team' }, { expires_at: soon() }]) {
    assert.equal((await api('PATCH', path, { body })).status, 400);
  }
});

test('does not find a deleted key', async () => {
  const { keyId, secret } = await issueKey();
  const { status, body } = await api('DELETE', `/api-keys/${keyId}`);
  assert.equal(status, 200);
  assert.equal(typeof body.data.message, 'string');
  assert.equal((await exchange(keyId, secret)).status, 401);
  assert.equal((await api('GET', `/api-keys/${keyId}`)).status, 404);
  assert.equal((await api('DELETE', `/api-keys/${keyId}`)).status, 404);
});

test('rejects a key that deletes or deactivates itself', async () => {
  const path = `/api-keys/${key.keyId}`;
  for (const { status, body } of [
    await api('DELETE', path),
    await api('PATCH', path, { body: { is_active: false } }),
  ]) {
    assert.equal(status, 400);
    assert.equal(body.details.reason, 'own_key');
  }
  assert.equal((await api('PATCH', path, { body: { name: 'Still here', is_active: true } })).status, 200);
});

for (const [action, method, body] of [
  ['delete', 'DELETE', undefined],
  ['deactivate', 'PATCH', { is_active: false }],
] as const) {
  test(`keeps one of two keys that ${action} each other at once`, async () => {
    const [one, other] = [await issueKey(), await issueKey()];
    // Both requests are authenticated and blocked at their writes before either continues.
    const answers = await context.db.transaction().execute(async (tx) => {
      await sql`select from api_keys where key_id in (${one.keyId}, ${other.keyId}) for update`.execute(tx);
      const asked = [
        api(method, `/api-keys/${other.keyId}`, { token: one.token, body }),
        api(method, `/api-keys/${one.keyId}`, { token: other.token, body }),
      ];
      await eventually(async () => assert.equal(await countLockWaiters(context.db), 2));
      return asked;
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 401]);
    const standing = statuses[0] === 200 ? one : other;
    assert.equal((await api('GET', '/api-keys', { token: standing.token })).status, 200);
  });
}

test('returns 404 for an unknown key id', async () => {
  for (const keyId of ['pk_00000000000000000000', 'x', key.keyId.toUpperCase(), '%00', '%F0%9F%98%80']) {
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}]] as const) {
      const answer = await api(method, `/api-keys/${keyId}`, { body });
      assert.equal(answer.status, 404, `${method} ${keyId}`);
      assert.equal(answer.body.code, 'NOT_FOUND');
      assert.equal(answer.body.details.reason, 'api_key_not_found');
    }
  }
});

test('limits a key of scope team to its team and hides API keys from it', async () => {
  const [mine, other] = [await newTeam(), await newTeam()];
  const created = await create({ scope: 'team', team_id: mine });
  const { key_id, key_secret } = created.body.data;
  const token = (await exchange(key_id, key_secret)).body.data.access_token;
  assert.deepEqual(
    (await api('GET', '/teams', { token })).body.data.map((team: { id: string }) => team.id),
    [mine],
  );
  assert.equal((await api('GET', `/teams/${mine}`, { token })).status, 200);
  assert.equal((await api('GET', `/teams/${other}`, { token })).status, 404);
  const shown = (await api('GET', `/api-keys/${key_id}`)).body.data;
  assert.deepEqual([shown.scope, shown.team_id], ['team', mine]);
  for (const [method, path] of [
    ['GET', '/api-keys'],
    ['POST', '/api-keys'],
    ['GET', `/api-keys/${key_id}`],
    ['PATCH', `/api-keys/${key_id}`],
    ['DELETE', `/api-keys/${key.keyId}`],
  ] as const) {
    const { status, body } = await api(method, path, { token });
    assert.deepEqual(
      [status, body.code, body.details.reason],
      [403, 'FORBIDDEN', 'scope'],
      `${method} ${path}`,
    );
  }
});

test('returns 401 without a token', async () => {
  for (const [method, path] of [
    ['GET', '/api-keys'],
    ['POST', '/api-keys'],
    ['GET', '/api-keys/x'],
    ['PATCH', '/api-keys/x'],
    ['DELETE', '/api-keys/x'],
  ] as const) {
    assert.equal((await api(method, path, { token: null })).status, 401);
  }
});

test('stores last_used even if the process stops right after the request', async () => {
  const fresh = await issueKey();
  await context.db.updateTable('api_keys').set({ last_used: null }).execute();
  const { app, close } = await composeApi(context, context, { resources: [] });
  const before = context.clock.now();
  await app.inject({ url: '/api/openapi/v1/api-keys', headers: { authorization: `Bearer ${fresh.token}` } });
  await close();
  const { last_used } = (await api('GET', `/api-keys/${fresh.keyId}`)).body.data;
  const at = new Date(last_used);
  assert.ok(at >= before && at <= context.clock.now(), last_used);
});
