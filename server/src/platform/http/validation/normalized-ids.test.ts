import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addDocument, addTeam } from '../../../../test/bots.ts';
import { startTestApp } from '../../../../test/harness.ts';
import { newId } from '../../shared/ids.ts';

const app = await startTestApp();
const { api, context, issueKey } = app;
const { db } = context;
const teamId = await addTeam(context);
await sql`insert into pools (id, url, capacity, lease_until)
          values (${newId()}, 'http://pool', 9, now() + interval '1 day')`.execute(db);

const capitals = (id: string) => id.toUpperCase();

/** Returns the data of a call that must succeed. */
async function answered(method: string, path: string, options: { body?: object; token?: string } = {}) {
  const { status, body } = await api(method, path, options);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

test('treats ids that differ in case as one document', async () => {
  const { id } = await addDocument(context, teamId);
  const bot = await addBot(app, capitals(teamId), { document_ids: [capitals(id), id] });
  assert.deepEqual((await answered('GET', `/bots/${capitals(bot.id)}`)).documents, [
    { document_id: id, bot_id: bot.id },
  ]);
  await answered('PATCH', `/bots/${capitals(bot.id)}`, { body: { document_ids: [id, capitals(id)] } });
  await answered('POST', `/bots/${capitals(bot.id)}/publish`);
  const [version] = await answered('GET', `/bots/${capitals(bot.id)}/versions`);
  assert.deepEqual(version.document_ids, [id]);
});

test('finds an action by an uppercase id', async () => {
  const action = { name: 'Order', endpoint: 'https://example.com', description: 'Kept' };
  const { id } = await addBot(app, teamId, { actions: [action] });
  const [known] = (await answered('GET', `/bots/${id}`)).actions;
  const renamed = { id: capitals(known.id), name: 'Renamed', endpoint: action.endpoint };
  await answered('PATCH', `/bots/${id}`, { body: { actions: [renamed] } });
  assert.deepEqual((await answered('GET', `/bots/${id}`)).actions, [{ ...known, name: 'Renamed' }]);
  const twice = await api('PATCH', `/bots/${id}`, {
    body: { actions: [renamed, { ...renamed, id: known.id }] },
  });
  assert.deepEqual(twice.body.details.issues, [
    { path: 'actions[1].id', message: 'is already the id of another action' },
  ]);
});

test('creates, binds, lists and reads a device by uppercase ids', async () => {
  const [one, two] = [await addBot(app, teamId), await addBot(app, teamId)];
  const device = await answered('POST', '/devices', {
    body: { team_id: capitals(teamId), bot_id: capitals(one.id), name: 'Desk' },
  });
  assert.deepEqual([device.team_id, device.bot_id], [teamId, one.id]);
  const bound = await answered('PATCH', `/devices/${capitals(device.id)}`, {
    body: { bot_id: capitals(two.id) },
  });
  assert.deepEqual([bound.id, bound.bot_id], [device.id, two.id]);
  const query = `team_id=${capitals(teamId)}&bot_id=${capitals(two.id)}`;
  assert.deepEqual(await answered('GET', `/devices?${query}`), [bound]);
  assert.equal((await answered('GET', `/devices/${capitals(device.id)}/status`)).device_id, device.id);
});

test('accepts uppercase team ids in keys and paths', async () => {
  const body = { name: 'Till', scope: 'team', team_id: capitals(teamId) };
  const { key_id } = await answered('POST', '/api-keys', { body });
  assert.equal((await answered('GET', `/api-keys/${key_id}`)).team_id, teamId);
  const { token } = await issueKey({ teamId });
  for (const path of ['', '/usage']) {
    await answered('GET', `/teams/${capitals(teamId)}${path}`, { token });
  }
  const own = await answered('GET', `/bots?team_id=${capitals(teamId)}`, { token });
  assert.ok(own.length > 0 && own.every((bot: { team_id: string }) => bot.team_id === teamId));
});

test('does not lowercase text that only looks like an id', async () => {
  const like = capitals(newId());
  const team = await answered('POST', '/teams', {
    body: { user: { name: like, email: 'ada@example.com' }, team: { name: like } },
  });
  assert.deepEqual([team.team.name, team.user.name], [like, like]);
  const { id } = await addBot(app, teamId, { name: like, questions: [{ question: like, answer: like }] });
  const bot = await answered('GET', `/bots/${id}`);
  assert.deepEqual([bot.name, bot.questions], [like, [{ question: like, answer: like }]]);
  assert.equal((await answered('GET', `/bots?name=${like}`)).length, 1);
});
