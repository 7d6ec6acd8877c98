import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { teamRoutes } from '../teams/teams.routes.ts';
import { createTeam } from '../teams/teams.ts';
import { planRoutes } from './plans.routes.ts';
import { deletePlan } from './plans.ts';

const { api, issueKey, context } = await startTestApp({
  routes: (deps) => [teamRoutes(deps), planRoutes(deps)],
});

const { db } = context;

const terms = {
  features: { allowActiveMessaging: true },
  active_messages_monthly: 50,
  paying: true,
  quotas: { bots: 1, accounts: 2, characters: 3, documents: 4, members: 5, credits: 6 },
};

const newTeam = async (team: object) =>
  (await api('POST', '/teams', { body: { user: { name: 'Ana', email: 'ana@example.com' }, team } })).body;

const namesOf = (plans: { name: string }[]) => plans.map(({ name }) => name);

test('ships four plans, the smallest of them the oldest', async () => {
  const { status, body } = await api('GET', '/plans');
  assert.equal(status, 200);
  assert.deepEqual(namesOf(body.data), ['enterprise', 'pro', 'starter', 'free']);
  assert.deepEqual(body.meta, { page: 1, limit: 20, total: 4, totalPages: 1 });
  assert.deepEqual(body.data[3], {
    name: 'free',
    features: { allowActiveMessaging: false },
    active_messages_monthly: 0,
    paying: false,
    quotas: { bots: 1, accounts: 1, characters: 200_000, documents: 5, members: 1, credits: 200 },
  });
});

test('creates, changes and deletes a plan', async () => {
  const made = await api('PUT', '/plans/made', { body: terms });
  assert.equal(made.status, 200);
  assert.deepEqual(made.body.data, { name: 'made', ...terms });
  const changed = await api('PUT', '/plans/made', { body: { ...terms, active_messages_monthly: 51 } });
  assert.equal(changed.body.data.active_messages_monthly, 51);
  const listed = (await api('GET', '/plans')).body.data;
  assert.deepEqual(
    listed.find((plan: { name: string }) => plan.name === 'made'),
    changed.body.data,
  );
  assert.equal((await api('DELETE', '/plans/made')).status, 200);
  assert.equal((await api('DELETE', '/plans/made')).status, 404);
});

test('lists plans in pages, newest first; changed terms keep the order', async () => {
  for (const [n, name] of ['zebra', 'apple', 'mango'].entries()) {
    await api('PUT', `/plans/${name}`, { body: terms });
    // Timestamps have millisecond precision, so two plans can share one.
    await sql`update plans set created_at = created_at - make_interval(secs => ${(3 - n) / 1000}) where name = ${name}`.execute(
      db,
    );
  }
  await api('PUT', '/plans/zebra', { body: { ...terms, paying: false } });
  await api('PUT', '/plans/free', { body: terms });
  const first = (await api('GET', '/plans?limit=3')).body;
  assert.deepEqual(namesOf(first.data), ['mango', 'apple', 'zebra']);
  assert.deepEqual(first.meta, { page: 1, limit: 3, total: 7, totalPages: 3 });
  const last = (await api('GET', '/plans?limit=3&page=3')).body;
  assert.deepEqual([namesOf(last.data), last.meta.total], [['free'], 7]);
  const past = (await api('GET', '/plans?limit=3&page=4')).body;
  assert.deepEqual([past.data, past.meta.total], [[], 7]);
  for (const name of ['zebra', 'apple', 'mango']) {
    await sql`update plans set created_at = '2026-03-01' where name = ${name}`.execute(db);
  }
  const sameTime = [];
  for (const page of [5, 6, 7]) sameTime.push((await api('GET', `/plans?limit=1&page=${page}`)).body.data[0]);
  assert.deepEqual(
    namesOf(sameTime),
    ['apple', 'mango', 'zebra'],
    'plans created at the same time are ordered by name',
  );
  for (const query of ['page=0', 'limit=0', 'limit=101', 'page=1.5', 'limit=', 'name=free']) {
    assert.equal((await api('GET', `/plans?${query}`)).status, 400, query);
  }
});

test('applies changed quotas at once to teams on the plan, except for quotas of their own', async () => {
  await api('PUT', '/plans/live', { body: terms });
  const { data } = await newTeam({ name: 'Team', plan_name: 'live', quotas: { credits: 9 } });
  await api('PUT', '/plans/live', { body: { ...terms, quotas: { ...terms.quotas, bots: 7, credits: 8 } } });
  const { quotas } = (await api('GET', `/teams/${data.team.id}`)).body.data;
  assert.deepEqual([quotas.bots, quotas.credits], [7, 9]);
});

test('rejects deleting a plan with teams on it', async () => {
  await api('PUT', '/plans/taken', { body: terms });
  const { data } = await newTeam({ name: 'Team', plan_name: 'taken' });
  assert.equal(data.team.paying, true);
  const refused = await api('DELETE', '/plans/taken');
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.details, { reason: 'plan_in_use', teams: 1 });
  await api('PATCH', `/teams/${data.team.id}`, { body: { plan_name: 'pro' } });
  assert.equal((await api('DELETE', '/plans/taken')).status, 200);
});

test('rejects a team created while its plan is deleted', async () => {
  await api('PUT', '/plans/raced', { body: terms });
  const creating = await db.transaction().execute(async (tx) => {
    await deletePlan(tx, 'raced');
    const waiting = newTeam({ name: 'Late', plan_name: 'raced' });
    await waitForLockWaiter(db);
    return { waiting };
  });
  const answer = await creating.waiting;
  assert.deepEqual([answer.code, answer.details.issues[0].path], ['BAD_REQUEST', 'team.plan_name']);
});

test('keeps a plan deleted while a team is created on it', async () => {
  await api('PUT', '/plans/held', { body: terms });
  const user = { name: 'Ana', email: 'ana@example.com' };
  const deleting = await db.transaction().execute(async (tx) => {
    await createTeam(tx, { user, team: { name: 'First', plan_name: 'held' } });
    const waiting = api('DELETE', '/plans/held');
    await waitForLockWaiter(db);
    return { waiting };
  });
  const answer = await deleting.waiting;
  assert.deepEqual([answer.status, answer.body.details.reason], [400, 'plan_in_use']);
});

test('rejects incomplete plans and invalid quotas', async () => {
  const { features: _, ...incomplete } = terms;
  const bodies = [
    incomplete,
    { ...terms, name: 'x' },
    { ...terms, quotas: { ...terms.quotas, bots: -1 } },
    { ...terms, quotas: { ...terms.quotas, bots: 1.5 } },
    { ...terms, quotas: { bots: 1 } },
    { ...terms, quotas: { ...terms.quotas, more: 1 } },
    { ...terms, active_messages_monthly: '5' },
    { ...terms, features: { allowActiveMessaging: 'yes' } },
    { ...terms, features: {} },
  ];
  for (const body of bodies) {
    assert.equal((await api('PUT', '/plans/bad', { body })).status, 400, JSON.stringify(body));
  }
  for (const name of ['Upper', 'a%20b', 'a.b', 'x'.repeat(101), '%00', 'caf%C3%A9']) {
    const { status, body } = await api('PUT', `/plans/${name}`, { body: terms });
    assert.equal(status, 400, name);
    assert.deepEqual(body.details.issues[0].path, 'name');
    assert.equal((await api('DELETE', `/plans/${name}`)).status, 404, name);
  }
  assert.equal((await api('PUT', `/plans/${'x'.repeat(100)}`, { body: terms })).status, 200);
});

test('rejects keys of scope team', async () => {
  const { data } = await newTeam({ name: 'Team' });
  const { token } = await issueKey({ teamId: data.team.id });
  assert.equal((await api('GET', '/plans', { token })).status, 403);
  assert.equal((await api('PUT', '/plans/mine', { token, body: terms })).status, 403);
  assert.equal((await api('DELETE', '/plans/free', { token })).status, 403);
  assert.equal((await api('GET', '/plans', { token: null })).status, 401);
});
