import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { type Api, createApiClient } from '../api-client.ts';
import { createChats, createTestBots, startChatApp } from '../chats.ts';
import { eventually } from '../eventually.ts';
import { openTestContext, startApiOn } from '../harness.ts';
import { repetitions } from './repetitions.ts';

/** Two APIs with separate caches on one database. A change through one must reach the other. */
const app = await startChatApp();
const { db, databaseUrl } = app.context;
const otherContext = await openTestContext(databaseUrl);
after(() => otherContext.close());
const { baseUrl } = await startApiOn(otherContext);
const administrator = await startApiOn(app.context);
const api = await createApiClient(administrator.baseUrl, administrator.key.token);

/** Cuts the notification connections. No process receives notifications until it reconnects. */
const cutNotifications = async () =>
  void (await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'parley notifications%'`.execute(db));

/** FULL_FAULTS=1 asserts the guaranteed second. The short run allows more, because other tests run beside it. */
const waitOneSecond = (attempt: () => Promise<void>) => eventually(attempt, repetitions(5_000, 1_000));

for (const [how, prepare] of [
  ['', async () => {}],
  [', even if notifications are cut just before', cutNotifications],
] as const) {
  test(`a key deactivated in one process is invalid in another within a second${how}`, async () => {
    const key = await administrator.issueKey();
    const other = await createApiClient(baseUrl, key.token);
    assert.equal((await other('GET', '/teams')).status, 200);
    await prepare();
    const changed = await api('PATCH', `/api-keys/${key.keyId}`, { body: { is_active: false } });
    assert.equal(changed.status, 200);
    await waitOneSecond(async () => assert.equal((await other('GET', '/teams')).status, 401));
  });

  test(`a plan and a team changed in one process are current in another within a second${how}`, async () => {
    const other = await createApiClient(baseUrl, administrator.key.token);
    const created = await api('POST', '/teams', {
      body: { user: { name: 'Ana', email: 'ana@example.com' }, team: { name: 'Harbour', plan_name: 'free' } },
    });
    const teamId = created.body.data.team.id;
    const createBot = (client: Api) => client('POST', '/bots', { body: { team_id: teamId, name: 'Desk' } });
    assert.equal((await createBot(other)).status, 200);
    assert.equal((await createBot(other)).body.details.reason, 'quota_exceeded');
    await prepare();
    await api('PATCH', `/teams/${teamId}`, { body: { quotas: { bots: 2 } } });
    await waitOneSecond(async () => assert.equal((await createBot(other)).status, 200));
    await api('PATCH', `/teams/${teamId}`, { body: { banned: true } });
    const bot = (await api('GET', `/bots?team_id=${teamId}`)).body.data[0];
    await waitOneSecond(async () => {
      const response = await other('POST', `/bots/${bot.id}/ask`, { body: { question: 'Hello?' } });
      assert.equal(response.body.details?.reason, 'team_banned');
    });
  });
}

test('after a publish, another process answers later messages with the new version', async () => {
  const chats = createChats({ ...app, context: otherContext, bots: createTestBots(otherContext) });
  chats.startAnswering();
  const question = 'When do you open?';
  const device = await app.addDevice({ questions: [{ question, answer: 'Version 1.' }] });
  for (const version of [1, 2, 3, 4, 5]) {
    const answer = `Version ${version}.`;
    if (version > 1) {
      await app.api('PATCH', `/bots/${device.botId}`, { body: { questions: [{ question, answer }] } });
      const published = await app.api('POST', `/bots/${device.botId}/publish`);
      assert.equal(published.status, 200, JSON.stringify(published.body));
    }
    const contact = `+1555000${version}`;
    await chats.write(device, contact, question);
    assert.deepEqual(await chats.untilReplied(device, contact), [answer]);
  }
});
