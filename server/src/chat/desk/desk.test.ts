import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, createChats, createTestBots } from '../../../test/chats.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';
import { createActionCaller } from '../answering/call-action.ts';

const base = await startTestApp();
const app = {
  ...base,
  ...createChats({
    ...base,
    bots: createTestBots(base.context),
    callAction: createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) }),
  }),
};
const { api, context } = app;
const { db } = context;
const contact = '+15550178001';

async function addConversation(): Promise<ChatDevice & { id: string }> {
  const desk = await app.addDevice({}, { reply_delay_seconds: 600 });
  await app.write(desk, contact, 'Hello');
  return { ...desk, id: (await app.readConversation(desk, contact)).id };
}

let created = 0;

async function addMember(teamId: string | null, role: string): Promise<string> {
  created += 1;
  const email = `person${created}@example.com`;
  const path = teamId === null ? '/users' : `/teams/${teamId}/members`;
  const { status, body } = await api('POST', path, { body: { name: `Person ${created}`, email, role } });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
}

/** Lets the user have been here so many minutes ago. */
async function wasHere(userId: string, minutes: number): Promise<void> {
  const person = newId();
  await sql`
    with added as (
      insert into people (id, email, last_seen_at)
      values (${person}, ${`${person}@example.com`}, now() - make_interval(mins => ${minutes})) returning id
    ) select id from added`.execute(db);
  await sql`insert into memberships (user_id, person_id) values (${userId}, ${person})`.execute(db);
}

test('assigns a conversation to a member or to the staff, and to nobody', async () => {
  const { id, teamId } = await addConversation();
  const [agent, viewer, support] = [
    await addMember(teamId, 'agent'),
    await addMember(teamId, 'viewer'),
    await addMember(null, 'support'),
  ];
  const stranger = await addMember((await addConversation()).teamId, 'owner');
  const assign = (body: object) => api('POST', `/conversations/${id}/assign`, { body });
  for (const user of [agent, support]) {
    const { status, body } = await assign({ user_id: user });
    assert.deepEqual([status, body.data.assignee.user_id], [200, user]);
  }
  for (const body of [{ user_id: viewer }, { user_id: stranger }, { user_id: newId() }, {}])
    assert.equal((await assign(body)).status, 400, JSON.stringify(body));
  const { token } = await app.issueKey({ teamId });
  const byTeam = await api('POST', `/conversations/${id}/assign`, { token, body: { user_id: support } });
  assert.equal(byTeam.status, 400, 'a team does not see the staff');
  assert.equal((await assign({ user_id: agent, in_turn: true })).status, 400);
  const listed = async (assignee: string) =>
    (await api('GET', `/conversations?team_id=${teamId}&assignee=${assignee}`)).body.data.length;
  assert.deepEqual([await listed(support), await listed(agent), await listed('none')], [1, 0, 0]);
  assert.equal((await assign({ user_id: null })).body.data.assignee, undefined);
  assert.equal(await listed('none'), 1);
  assert.equal((await api('GET', '/conversations?assignee=me')).status, 400);
  await assign({ user_id: agent });
  assert.equal((await api('DELETE', `/teams/${teamId}/members/${agent}`)).status, 200);
  assert.equal(await listed('none'), 1, 'the member is gone');
});

test('gives conversations in turn to those who are present', async () => {
  const { id, teamId, ...desk } = await addConversation();
  const next = async (conversation = id) =>
    (await api('POST', `/conversations/${conversation}/assign`, { body: { in_turn: true } })).body;
  assert.equal((await next()).details.reason, 'nobody_present');
  const [first, second, away, viewer] = [
    await addMember(teamId, 'agent'),
    await addMember(teamId, 'editor'),
    await addMember(teamId, 'agent'),
    await addMember(teamId, 'viewer'),
  ];
  for (const [user, minutes] of [
    [first, 1],
    [second, 9],
    [away, 11],
    [viewer, 0],
  ] as const)
    await wasHere(user, minutes);
  const given: string[] = [];
  for (const number of [contact, '+15550178002', '+15550178003', '+15550178004']) {
    await app.write({ ...desk, teamId }, number, 'Hello');
    const conversation = await app.readConversation({ ...desk, teamId }, number);
    given.push((await next(conversation.id)).data.assignee.user_id);
  }
  assert.deepEqual(new Set(given.slice(0, 2)), new Set([first, second]));
  assert.deepEqual(given.slice(2), given.slice(0, 2));
});

test('labels a conversation, and filters by a label', async () => {
  const { id, teamId } = await addConversation();
  const label = (labels: unknown) => api('POST', `/conversations/${id}/labels`, { body: { labels } });
  assert.deepEqual((await label(['order', ' order ', 'Friday'])).body.data.labels, ['order', 'Friday']);
  const found = async (name: string) =>
    (await api('GET', `/conversations?${new URLSearchParams({ team_id: teamId, label: name })}`)).body.data
      .length;
  assert.deepEqual([await found('order'), await found('ord')], [1, 0]);
  assert.deepEqual((await label([])).body.data.labels, []);
  for (const refused of [null, ['x'.repeat(41)], Array(21).fill('x'), ['  ']])
    assert.equal((await label(refused)).status, 400, JSON.stringify(refused));
  assert.equal((await api('POST', `/conversations/${newId()}/labels`, { body: { labels: [] } })).status, 404);
});

test('keeps notes that only the people of the team see', async () => {
  const { id, teamId, ...desk } = await addConversation();
  const { token } = await app.issueKey({ teamId });
  const path = `/conversations/${id}/notes`;
  const headers = { 'idempotency-key': newId() };
  const added = await api('POST', path, { body: { text: 'Call her' }, token, headers });
  assert.equal(added.status, 200, JSON.stringify(added.body));
  assert.deepEqual(
    (await api('POST', path, { body: { text: 'Call her' }, token, headers })).body,
    added.body,
  );
  await api('POST', path, { body: { text: 'Done' } });
  const { data, meta } = (await api('GET', path, { token })).body;
  assert.deepEqual(
    data.map(({ text }: { text: string }) => text),
    ['Done', 'Call her'],
  );
  assert.equal(meta.total, 2);
  assert.notEqual(added.body.data.author.name, '');
  const chat = await app.readChat({ ...desk, teamId }, contact);
  assert.deepEqual(
    chat.map(({ text }) => text),
    ['Hello'],
  );
  const other = await app.issueKey({ teamId: (await addConversation()).teamId });
  for (const method of ['GET', 'POST'])
    assert.equal(
      (await api(method, path, { token: other.token, ...(method === 'POST' && { body: { text: 'x' } }) }))
        .status,
      404,
    );
  for (const text of ['', 'x'.repeat(4097), null])
    assert.equal((await api('POST', path, { body: { text } })).status, 400);
});

test('keeps the saved replies of a team', async () => {
  const { teamId } = await addConversation();
  const path = `/teams/${teamId}/saved-replies`;
  assert.deepEqual((await api('GET', path)).body.data, { replies: [], updated_at: null });
  const replies = [
    { name: 'hours', text: 'We are open from 9 to 18.' },
    { name: 'thanks', text: 'Thank you!\nSee you.' },
  ];
  const stored = (await api('PUT', path, { body: { replies } })).body.data;
  assert.deepEqual(stored.replies, replies);
  assert.deepEqual((await api('GET', path)).body.data, stored);
  const repeated = await api('PUT', path, { body: { replies: [...replies, { name: 'Hours', text: 'x' }] } });
  assert.deepEqual([repeated.status, repeated.body.details.issues[0].path], [400, 'replies[2].name']);
  for (const refused of [
    undefined,
    [{ name: 'x', text: ' ' }],
    [{ name: 'x', text: 'x'.repeat(4097) }],
    Array.from({ length: 201 }, (_, index) => ({ name: `reply ${index}`, text: 'x' })),
  ])
    assert.equal((await api('PUT', path, { body: { replies: refused } })).status, 400);
  const other = await app.issueKey({ teamId: (await addConversation()).teamId });
  assert.equal((await api('GET', path, { token: other.token })).status, 404);
  assert.equal((await api('PUT', path, { token: other.token, body: { replies } })).status, 404);
});
