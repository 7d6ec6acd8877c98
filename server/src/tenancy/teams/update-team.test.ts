import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness.ts';
import { populateTeam } from '../../../test/team-fixture.ts';

import { teamRoutes } from './teams.routes.ts';

const { api, issueKey, context } = await startTestApp({
  routes: (deps) => [teamRoutes(deps)],
});
const { db, notifications } = context;

async function newTeam(team: object = {}) {
  const body = { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Team', ...team } };
  return (await api('POST', '/teams', { body })).body.data.team;
}

const patch = (id: string, body: object, token?: string) =>
  api('PATCH', `/teams/${id}`, { body, ...(token === undefined ? {} : { token }) });

test('changes given fields and keeps omitted ones', async () => {
  const team = await newTeam({ quotas: { bots: 4 } });
  const before = (await api('GET', `/teams/${team.id}`)).body.data;
  const { status, body } = await patch(team.id, {
    name: 'Renamed',
    plan_name: 'starter',
    paying: false,
    quotas: { accounts: 0 },
    settings: { timezone: 'Europe/Lisbon', reply_delay_seconds: 0 },
  });
  assert.equal(status, 200);
  const { updated_at, ...changed } = body.data;
  assert.ok(updated_at >= before.updated_at);
  assert.deepEqual(changed, {
    id: team.id,
    name: 'Renamed',
    plan_name: 'starter',
    paying: false,
    banned: false,
    created_at: team.created_at,
    quotas: { bots: 4, accounts: 0, characters: 2_000_000, documents: 50, members: 3, credits: 2000 },
    settings: { ...before.settings, timezone: 'Europe/Lisbon', reply_delay_seconds: 0 },
  });
  assert.deepEqual((await api('GET', `/teams/${team.id}`)).body, body);
  const again = await patch(team.id, { settings: { locale: 'pt-BR' } });
  assert.deepEqual(again.body.data.settings, { ...changed.settings, locale: 'pt-BR' });
  const { updated_at: _, ...same } = (await patch(team.id, {})).body.data;
  assert.deepEqual(same, { ...changed, settings: again.body.data.settings });
});

test("restores the plan's quota for null", async () => {
  const { id } = await newTeam({ quotas: { bots: 4, credits: 1 } });
  const { quotas } = (await patch(id, { quotas: { bots: null } })).body.data;
  assert.deepEqual([quotas.bots, quotas.credits], [10, 1]);
});

test('allows a quota below its use, also of members', async () => {
  const { id } = await newTeam();
  const { status, body } = await patch(id, { quotas: { members: 0 } });
  assert.deepEqual([status, body.data.quotas.members], [200, 0]);
  const { members } = await db
    .selectFrom('team_usage')
    .select('members')
    .where('team_id', '=', id)
    .executeTakeFirstOrThrow();
  assert.equal(members, 1, 'the administrator remains a member');
});

const refused: [string, object, string][] = [
  ['an unknown plan', { plan_name: 'gold' }, 'plan_name'],
  ['an empty name', { name: '' }, 'name'],
  ['a flag as text', { banned: 'yes' }, 'banned'],
  ['a negative quota', { quotas: { bots: -1 } }, 'quotas.bots'],
  ['an unknown quota', { quotas: { more: 1 } }, 'quotas.more'],
  ['an unknown setting', { settings: { colour: 'red' } }, 'settings.colour'],
  ['an unknown time zone', { settings: { timezone: 'Mars/Olympus' } }, 'settings.timezone'],
  ['an offset as time zone', { settings: { timezone: '+01:00' } }, 'settings.timezone'],
  ['an invalid locale', { settings: { locale: 'en-x' } }, 'settings.locale'],
  ['a delay over a minute', { settings: { reply_delay_seconds: 61 } }, 'settings.reply_delay_seconds'],
  ['a negative takeover', { settings: { human_takeover_minutes: -1 } }, 'settings.human_takeover_minutes'],
  ['an id', { id: crypto.randomUUID() }, 'id'],
];
for (const [what, body, path] of refused) {
  test(`rejects ${what}`, async () => {
    const { id } = await newTeam();
    const answer = await patch(id, body);
    assert.equal(answer.status, 400);
    assert.ok(
      answer.body.details.issues.some((issue: { path: string }) => issue.path === path),
      JSON.stringify(answer.body),
    );
  });
}

test('stops the devices of a banned team and no others', async () => {
  const [banned, other] = [await newTeam(), await newTeam()];
  const { devices } = await populateTeam(db, banned.id);
  await populateTeam(db, other.id);
  const epochOf = async (id: string) =>
    (await db.selectFrom('devices').select('epoch').where('id', '=', id).executeTakeFirstOrThrow()).epoch;
  const epoch = await epochOf(devices.running);
  const heard = new Set<string>();
  notifications.subscribe('device-changed', (id) => heard.add(id));
  const { body } = await patch(banned.id, { banned: true });
  assert.equal(body.data.banned, true);
  const rows = (id: string) =>
    db.selectFrom('devices').selectAll().where('team_id', '=', id).orderBy('id').execute();
  for (const row of await rows(banned.id)) {
    assert.deepEqual([row.status, row.connected, row.qr_text], ['stopped', false, null]);
  }
  const reasons = (await rows(banned.id)).map((row) => row.last_disconnect_reason);
  assert.deepEqual(reasons, ['team_banned', null], 'a stopped device gets no reason');
  assert.deepEqual([...heard], [devices.running]);
  assert.equal(await epochOf(devices.running), epoch + 1, 'the new epoch fences its session');
  assert.deepEqual(
    (await rows(other.id)).map((row) => row.status),
    ['started', 'stopped'],
  );
  assert.equal((await patch(banned.id, { banned: false })).body.data.banned, false);
});

test('lets a key of scope team change only the name and settings of its own team', async () => {
  const [mine, other] = [await newTeam(), await newTeam()];
  const { token } = await issueKey({ teamId: mine.id });
  const own = await patch(mine.id, { name: 'Ours', settings: { locale: 'de' } }, token);
  assert.deepEqual([own.status, own.body.data.name], [200, 'Ours']);
  for (const body of [
    { plan_name: 'enterprise' },
    { paying: true },
    { banned: false },
    { quotas: { bots: 99 } },
  ]) {
    const { status, body: answer } = await patch(mine.id, body, token);
    assert.deepEqual([status, answer.code, answer.details.reason], [403, 'FORBIDDEN', 'scope']);
  }
  assert.equal((await patch(other.id, { name: 'Theirs' }, token)).status, 404);
  assert.equal((await api('GET', `/teams/${other.id}`)).body.data.name, 'Team');
});

test('returns 404 for an unknown team and 401 without a token', async () => {
  assert.equal((await patch(crypto.randomUUID(), { name: 'x' })).status, 404);
  assert.equal((await patch('zz', {})).status, 404);
  assert.equal((await patch('zz', { name: '' })).status, 400);
  assert.equal((await api('PATCH', '/teams/zz', { body: {}, token: null })).status, 401);
});
