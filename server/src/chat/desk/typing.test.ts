import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { openEventSource } from '../../../test/event-source.ts';
import { eventually } from '../../../test/eventually.ts';
import { openTestContext, startApiOn, startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordEvent } from '../../records/events/events.sql.ts';
import { createActionCaller } from '../answering/call-action.ts';

const base = await startTestApp();
const elsewhere = await openTestContext(base.context.databaseUrl);
const other = await startApiOn(elsewhere);
after(() => elsewhere.close());
const app = {
  ...base,
  ...createChats({
    ...base,
    bots: createTestBots(base.context),
    callAction: createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) }),
  }),
};
const { db } = app.context;
const types = '?types=conversation.typing,quota.reached';

async function addConversation(): Promise<{ id: string; teamId: string }> {
  const desk = await app.addDevice({}, { reply_delay_seconds: 600 });
  await app.write(desk, '+15550178001', 'Hello');
  return { teamId: desk.teamId, id: (await app.readConversation(desk, '+15550178001')).id };
}

test('shows colleagues at every process who writes, and no other caller', async () => {
  const { id, teamId } = await addConversation();
  const [author, colleague] = [await app.issueKey({ teamId }), await app.issueKey({ teamId })];
  const { teamId: strangeTeam } = await addConversation();
  const stranger = await app.issueKey({ teamId: strangeTeam });
  const follow = (baseUrl: string, token: string, query = types) =>
    openEventSource(baseUrl, token, { query });
  const near = await follow(app.baseUrl, colleague.token);
  const far = await follow(other.baseUrl, colleague.token);
  const ofStaff = await follow(other.baseUrl, app.key.token);
  const unseeing = [
    await follow(app.baseUrl, author.token),
    await follow(other.baseUrl, author.token),
    await follow(app.baseUrl, stranger.token),
    await follow(app.baseUrl, app.key.token, `${types}&team_id=${newId()}`),
    await follow(app.baseUrl, colleague.token, ''),
  ];
  const path = `/conversations/${id}/typing`;
  assert.equal((await app.api('POST', path, { token: author.token })).status, 200);

  for (const source of [near, far, ofStaff]) {
    const [event] = await eventually(async () => {
      assert.equal(source.events.length, 1);
      return source.events;
    });
    assert.equal(event?.type, 'conversation.typing');
    assert.equal(event?.data.team_id, teamId);
    assert.deepEqual(event?.data.data, {
      conversation_id: id,
      author: { id: author.keyId, name: 'Test key' },
    });
  }
  // What follows on the same stream shows what did not come before it.
  for (const team of [teamId, strangeTeam])
    await recordEvent(db, 'quota.reached', team, { quota: 'bots', used: 1, limit: 1 });
  for (const source of unseeing.filter((_, index) => index !== 3)) {
    await eventually(async () => assert.ok(source.events.some(({ type }) => type === 'quota.reached')));
    assert.ok(!source.events.some(({ type }) => type === 'conversation.typing'));
  }
  assert.deepEqual(unseeing[3]?.events, []);
  const stored = await app.api('GET', `/events${types}&team_id=${teamId}`);
  assert.deepEqual(
    stored.body.data.map(({ type }: { type: string }) => type),
    ['quota.reached'],
  );
});

test('hides conversations of other teams, and refuses viewers', async () => {
  const { id, teamId } = await addConversation();
  const stranger = await app.issueKey({ teamId: (await addConversation()).teamId });
  const viewer = await app.issueKey({ teamId, role: 'viewer' });
  const call = (conversation: string, token?: string) =>
    app.api('POST', `/conversations/${conversation}/typing`, token === undefined ? {} : { token });
  assert.equal((await call(id, stranger.token)).status, 404);
  assert.equal((await call(newId())).status, 404);
  assert.equal((await call(id, viewer.token)).status, 403);
  assert.equal((await call(id)).status, 200);
});
