import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';
import { teamRoutes } from '../teams/teams.routes.ts';
import { usageRoutes } from './usage.routes.ts';

let now = new Date('2026-11-30T23:59:59.999Z');
const { api, issueKey, context } = await startTestApp({
  replacements: { clock: { now: () => now } },
  routes: (deps) => [teamRoutes(deps), usageRoutes(deps)],
});
const { db } = context;

async function newTeam(team: object = {}): Promise<string> {
  const body = { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Team', ...team } };
  return (await api('POST', '/teams', { body })).body.data.team.id;
}

test('counts the administrator of a new team as a member', async () => {
  const { status, body } = await api('GET', `/teams/${await newTeam({ quotas: { bots: 3 } })}/usage`);
  assert.equal(status, 200);
  assert.deepEqual(body.data, {
    quotas: {
      bots: { used: 0, limit: 3 },
      accounts: { used: 0, limit: 10 },
      characters: { used: 0, limit: 20_000_000 },
      documents: { used: 0, limit: 500 },
      members: { used: 1, limit: 10 },
      credits: { used: 0, limit: 20_000 },
    },
    active_messages: { month: '2026-11', used: 0, quota: 1000, limit: 1050, remaining: 1050 },
    ai: {
      calls: 0,
      calls_without_tokens: 0,
      calls_without_cost: 0,
      input_tokens: 0,
      cached_tokens: 0,
      output_tokens: 0,
      reasoning_tokens: 0,
      cost: 0,
      by_model: [],
    },
    message_prices: [],
  });
});

test('shows what networks charge for messages, by month, category and currency', async () => {
  const id = await newTeam();
  const counts = { billable: 3, not_billable: 0, without_price: 0 };
  const known = { category: 'utility', currency: 'EUR', ...counts, amount: 0.1368 };
  const unknown = { category: 'utility', currency: 'USD', ...counts, without_price: 3, amount: null };
  const free = { category: 'service', currency: '', ...counts, billable: 0, not_billable: 9, amount: 0 };
  const october = { ...known, billable: 1, amount: 0.0456 };
  await db
    .insertInto('monthly_message_prices')
    .values([
      ...[known, unknown, free].map((row) => ({ team_id: id, month: '2026-11-01', ...row })),
      { team_id: id, month: '2026-10-01', ...october },
      { team_id: await newTeam(), month: '2026-11-01', ...known },
    ])
    .execute();
  const read = async (query = '') =>
    (await api('GET', `/teams/${id}/usage${query}`)).body.data.message_prices;
  assert.deepEqual(await read(), [{ ...free, currency: null }, known, unknown]);
  assert.deepEqual(await read('?month=2026-10'), [october]);
  assert.deepEqual(await read('?month=2026-09'), []);
});

test('counts credits and active messages of the UTC calendar month', async () => {
  const id = await newTeam({ plan_name: 'starter' });
  const used = { credits: 7, active_messages: 30 };
  await db
    .insertInto('monthly_usage')
    .values({ team_id: id, month: '2026-11-01', ...used })
    .execute();
  await db.updateTable('team_usage').set({ bots: 2, characters: 12 }).where('team_id', '=', id).execute();
  now = new Date('2026-11-30T23:59:59.999Z');
  const november = (await api('GET', `/teams/${id}/usage`)).body.data;
  assert.deepEqual(november.quotas.credits, { used: 7, limit: 2000 });
  assert.deepEqual(november.quotas.bots, { used: 2, limit: 3 });
  assert.deepEqual(november.quotas.characters, { used: 12, limit: 2_000_000 });
  assert.deepEqual(november.active_messages, {
    month: '2026-11',
    used: 30,
    quota: 100,
    limit: 105,
    remaining: 75,
  });
  now = new Date('2026-12-01T00:00:00.000Z');
  const december = (await api('GET', `/teams/${id}/usage`)).body.data;
  assert.deepEqual(december.quotas.credits, { used: 0, limit: 2000 });
  assert.deepEqual([december.active_messages.month, december.active_messages.used], ['2026-12', 0]);
});

test('returns the usage of an earlier month', async () => {
  const id = await newTeam();
  const usageOf = (month: string) => api('GET', `/teams/${id}/usage?month=${month}`);
  await db
    .insertInto('monthly_usage')
    .values({ team_id: id, month: '2026-09-01', credits: 7, active_messages: 30 })
    .execute();
  const { data } = (await usageOf('2026-09')).body;
  assert.deepEqual([data.quotas.credits.used, data.active_messages.used], [7, 30]);
  assert.equal(data.active_messages.month, '2026-09');
  assert.equal((await usageOf('2026-08')).body.data.quotas.credits.used, 0);
  for (const refused of ['2026-13', '2026-9', '0000-01', '2026-09-01', ''])
    assert.equal((await usageOf(refused)).status, 400, refused);
});

test('never returns negative remaining messages', async () => {
  const id = await newTeam({ plan_name: 'free' });
  const month = `${now.toISOString().slice(0, 7)}-01`;
  await db.insertInto('monthly_usage').values({ team_id: id, month, active_messages: 3 }).execute();
  const { active_messages } = (await api('GET', `/teams/${id}/usage`)).body.data;
  assert.deepEqual([active_messages.used, active_messages.limit, active_messages.remaining], [3, 0, 0]);
});

test("returns 404 for another team's usage", async () => {
  const [mine, other] = [await newTeam(), await newTeam()];
  const { token } = await issueKey({ teamId: mine });
  assert.equal((await api('GET', `/teams/${mine}/usage`, { token })).status, 200);
  assert.equal((await api('GET', `/teams/${mine.toUpperCase()}/usage`, { token })).status, 200);
  for (const id of [other, crypto.randomUUID(), 'zz']) {
    assert.equal((await api('GET', `/teams/${id}/usage`, { token })).status, 404);
  }
  assert.equal((await api('GET', `/teams/${mine}/usage`, { token: null })).status, 401);
});

test('warns of quotas that are used to 80% or more, the fullest first, to keys that see the team', async () => {
  const id = await newTeam({ name: 'Nearly full', quotas: { bots: 5, documents: 10 } });
  const other = await newTeam({ name: 'Full', quotas: { bots: 4 } });
  await db
    .updateTable('team_usage')
    .set({ bots: 4, documents: 7 })
    .where('team_id', 'in', [id, other])
    .execute();
  const month = `${now.toISOString().slice(0, 7)}-01`;
  await db
    .insertInto('monthly_usage')
    .values({ team_id: id, month, credits: 0, active_messages: 950 })
    .execute();
  const of = (name: string, quota: string, used: number, limit: number) => ({
    team_id: name === 'Full' ? other : id,
    team_name: name,
    quota,
    used,
    limit,
  });
  const { token } = await issueKey({ teamId: other });
  const ofOther = (await api('GET', '/quota-warnings', { token })).body.data.warnings;
  assert.deepEqual(ofOther, [of('Full', 'bots', 4, 4)]);
  const all: { team_id: string }[] = (await api('GET', '/quota-warnings')).body.data.warnings;
  assert.deepEqual(
    all.filter(({ team_id }) => [id, other].includes(team_id)),
    [
      of('Full', 'bots', 4, 4),
      of('Nearly full', 'active_messages', 950, 1000),
      of('Nearly full', 'bots', 4, 5),
    ],
  );
});
