import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness.ts';
import { teamRoutes } from './teams.routes.ts';

const { api, issueKey, context } = await startTestApp({
  routes: (deps) => [teamRoutes(deps)],
});

/** A plan with a member quota of 0. */
await sql`
  insert into plans (name, allow_active_messaging, active_messages_monthly, paying, bots, accounts, characters, documents,
                     members, credits)
  values ('nobody', true, 9, true, 9, 9, 9, 9, 0, 9)`.execute(context.db);

const ana = { name: 'Ana', email: 'ana@example.com' };
const create = (team: object, user: object = ana, headers = {}) =>
  api('POST', '/teams', { body: { user, team }, headers });
const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name);

test('creates a team together with its administrator', async () => {
  const { status, body } = await create({ name: 'Team' }, { ...ana, phone: '+15550100' });
  assert.equal(status, 200);
  const { team, user } = body.data;
  const { id, created_at, updated_at, ...rest } = team;
  assert.deepEqual(rest, { name: 'Team', plan_name: 'pro', paying: true, banned: false });
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updated_at, created_at);
  assert.deepEqual([user.name, user.email, user.phone], ['Ana', 'ana@example.com', '+15550100']);
  const kept = await context.db.selectFrom('users').selectAll().where('team_id', '=', id).execute();
  assert.deepEqual(
    kept.map((row) => row.id),
    [user.id],
  );
});

test('returns null for an omitted phone and allows one address to administer several teams', async () => {
  assert.equal((await create({ name: 'One' })).body.data.user.phone, null);
  assert.equal((await create({ name: 'Two' })).status, 200);
});

test('returns the settings and the quotas of the plan, except for those of the team', async () => {
  const { body } = await create({ name: 'Team', plan_name: 'free', quotas: { bots: 0, credits: 7 } });
  assert.equal(body.data.team.paying, false);
  const detail = (await api('GET', `/teams/${body.data.team.id}`)).body.data;
  assert.deepEqual(detail, {
    ...body.data.team,
    quotas: { bots: 0, accounts: 1, characters: 200_000, documents: 5, members: 1, credits: 7 },
    settings: {
      locale: 'en',
      timezone: 'UTC',
      reply_delay_seconds: 2,
      retention_days: 365,
      disclosure: null,
      human_takeover_minutes: 60,
    },
  });
});

test('rejects an unknown plan and lists the existing ones', async () => {
  const { status, body } = await create({ name: 'Team', plan_name: 'gold' });
  assert.equal(status, 400);
  assert.deepEqual(body.details.issues, [
    { path: 'team.plan_name', message: 'must be one of enterprise, free, nobody, pro, starter' },
  ]);
});

const refused: [string, object, object, string][] = [
  ['no administrator', { name: 'T' }, {}, 'user.name'],
  ['no e-mail address', { name: 'T' }, { name: 'Ana' }, 'user.email'],
  ['an invalid e-mail address', { name: 'T' }, { ...ana, email: 'ana' }, 'user.email'],
  ['an invalid phone', { name: 'T' }, { ...ana, phone: '12' }, 'user.phone'],
  ['a phone of null', { name: 'T' }, { ...ana, phone: null }, 'user.phone'],
  ['no name', {}, ana, 'team.name'],
  ['a blank name', { name: ' ' }, ana, 'team.name'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, ana, 'team.name'],
  ['a plan named with a NUL', { name: 'T', plan_name: 'a\0' }, ana, 'team.plan_name'],
  ['a negative quota', { name: 'T', quotas: { bots: -1 } }, ana, 'team.quotas.bots'],
  ['a fractional quota', { name: 'T', quotas: { bots: 1.5 } }, ana, 'team.quotas.bots'],
  ['a quota as text', { name: 'T', quotas: { bots: '1' } }, ana, 'team.quotas.bots'],
  ['a quota over 32 bits', { name: 'T', quotas: { bots: 2 ** 31 } }, ana, 'team.quotas.bots'],
  ['an unknown quota', { name: 'T', quotas: { more: 1 } }, ana, 'team.quotas.more'],
  ['no room for the administrator', { name: 'T', quotas: { members: 0 } }, ana, 'team.quotas.members'],
  ['a plan without members', { name: 'T', plan_name: 'nobody' }, ana, 'team.plan_name'],
  ['a banned flag', { name: 'T', banned: true }, ana, 'team.banned'],
  ['an id', { name: 'T', id: crypto.randomUUID() }, ana, 'team.id'],
];
for (const [what, team, user, path] of refused) {
  test(`rejects a team with ${what} and creates nothing`, async () => {
    const count = async () => (await context.db.selectFrom('users').select('id').execute()).length;
    const before = await count();
    const { status, body } = await create(team, user);
    assert.equal(status, 400);
    assert.ok(
      body.details.issues.some((issue: { path: string }) => issue.path === path),
      JSON.stringify(body),
    );
    assert.equal(await count(), before);
  });
}

test('creates a team whose own member quota allows the administrator that the plan does not', async () => {
  assert.equal((await create({ name: 'T', plan_name: 'nobody', quotas: { members: 1 } })).status, 200);
});

test('creates one team for two requests with the same Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'one-team' };
  const first = await create({ name: 'Once' }, ana, headers);
  const again = await create({ name: 'Once' }, ana, headers);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal((await api('GET', '/teams?name=Once')).body.meta.total, 1);
});

test('returns pages, newest first, and an empty page past the end', async () => {
  for (const name of ['page a', 'page b', 'page c']) await create({ name });
  const first = await api('GET', '/teams?name=page&limit=2');
  assert.deepEqual(names(first.body), ['page c', 'page b']);
  assert.deepEqual(first.body.meta, { page: 1, limit: 2, total: 3, totalPages: 2 });
  assert.equal('quotas' in first.body.data[0], false);
  assert.deepEqual(names((await api('GET', '/teams?name=page&limit=2&page=2')).body), ['page a']);
  const past = await api('GET', '/teams?name=page&limit=2&page=3');
  assert.deepEqual([past.status, past.body.data], [200, []]);
  const none = await api('GET', '/teams?name=no-such-team');
  assert.deepEqual(none.body.meta, { page: 1, limit: 20, total: 0, totalPages: 0 });
});

test('filters by case-insensitive substring and takes wildcards literally', async () => {
  for (const name of ['100% Ünique', '100 ünique', 'a_b\\c', 'Quay_7', 'QuayX7']) await create({ name });
  const found = async (part: string) =>
    names((await api('GET', `/teams?name=${encodeURIComponent(part)}`)).body).sort();
  assert.deepEqual(await found('0% ün'), ['100% Ünique']);
  assert.deepEqual(await found('ÜNIQUE'), ['100 ünique', '100% Ünique']);
  assert.deepEqual(await found('a_b\\'), ['a_b\\c']);
  assert.deepEqual(await found('axb'), []);
  assert.deepEqual(await found('quay_'), ['Quay_7']);
});

test('filters by paying', async () => {
  await create({ name: 'pays nothing', plan_name: 'free' });
  await create({ name: 'pays well' });
  assert.deepEqual(names((await api('GET', '/teams?name=pays&paying=false')).body), ['pays nothing']);
  assert.deepEqual(names((await api('GET', '/teams?name=pays&paying=true')).body), ['pays well']);
});

test('filters by plan, together with other filters', async () => {
  for (const name of ['quay one', 'quay two', 'pier']) await create({ name, plan_name: 'starter' });
  await create({ name: 'quay of another plan' });
  const { body } = await api('GET', '/teams?plan_name=starter&limit=2');
  assert.deepEqual([names(body), body.meta.total], [['pier', 'quay two'], 3]);
  const named = await api('GET', '/teams?plan_name=starter&name=quay');
  assert.deepEqual(names(named.body), ['quay two', 'quay one']);
  assert.deepEqual((await api('GET', '/teams?plan_name=no-such-plan')).body.data, []);
});

test('rejects an invalid query', async () => {
  const queries = [
    'page=0',
    'page=x',
    'page=1.0',
    'page=',
    'limit=0',
    'limit=101',
    'paying=1',
    'paying=TRUE',
  ];
  for (const query of [...queries, 'order=name', 'page=1&page=2', 'name=a&name=b', 'name=%00']) {
    assert.equal((await api('GET', `/teams?${query}`)).status, 400, query);
  }
});

test('returns 404 for an unknown team or a malformed id', async () => {
  for (const id of [crypto.randomUUID(), 'zz', '%00', '1'.repeat(290)]) {
    const { status, body } = await api('GET', `/teams/${id}`);
    assert.deepEqual([status, body.code, body.details.reason], [404, 'NOT_FOUND', 'team_not_found'], id);
  }
});

test('lets a key of scope team see its own team but create none', async () => {
  const mine = (await create({ name: 'mine' })).body.data.team;
  const other = (await create({ name: 'other' })).body.data.team;
  const { token } = await issueKey({ teamId: mine.id });
  const list = await api('GET', '/teams', { token });
  assert.deepEqual([names(list.body), list.body.meta.total], [['mine'], 1]);
  assert.equal((await api('GET', `/teams/${mine.id}`, { token })).status, 200);
  const hidden = await api('GET', `/teams/${other.id}`, { token });
  const missing = await api('GET', `/teams/${crypto.randomUUID()}`, { token });
  assert.deepEqual([hidden.status, hidden.body], [404, missing.body]);
  const refusal = await api('POST', '/teams', { token, body: {} });
  assert.deepEqual([refusal.status, refusal.body.code], [403, 'FORBIDDEN']);
});
