import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startDevicesApp } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { addWebsite, createVisitor, type StreamedState } from '../../../test/web-visitor.ts';

const app = await startDevicesApp();
const { db } = app.context;
await app.startPool();
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const uri = `data:image/png;base64,${png.toString('base64')}`;
const closed = { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
const hours = { week: closed, exceptions: [], text: 'We are closed.' };

/** A visitor who has written, with the conversation. */
async function openChat() {
  const { deviceId, teamId } = await addWebsite(app);
  const visitor = createVisitor(() => app.baseUrl, deviceId);
  const visit = await visitor.visit();
  await visitor.write('message-1', 'May I speak to somebody?');
  const conversation = await eventually(async () => {
    const [first] = (await app.api('GET', `/conversations?device_id=${deviceId}`)).body.data;
    assert.ok(first);
    return first as { id: string };
  });
  const untilState = async (isWanted: (state: StreamedState) => boolean): Promise<StreamedState> => {
    let found: StreamedState | undefined;
    await visitor.read((_, states) => {
      found = states.find(isWanted);
      return found !== undefined;
    });
    assert.ok(found);
    return found;
  };
  return { deviceId, teamId, visitor, visit, conversationId: conversation.id, untilState };
}

test('the brand of the team fills what the website leaves open', async () => {
  const { deviceId, teamId, visitor, visit } = await openChat();
  assert.deepEqual(
    [visit.title, visit.color, visit.has_logo, visit.open],
    ['Harbour shop', '#0b5cad', false, null],
  );
  assert.equal((await visitor.call('GET', 'logo')).status, 404);
  const brand = { name: 'Crumb', color: '#ffee00', logo: uri };
  assert.equal((await app.api('PUT', `/teams/${teamId}/brand`, { body: brand })).status, 200);
  const branded = await visitor.visit();
  assert.deepEqual([branded.title, branded.color, branded.has_logo], ['Crumb', '#ffee00', true]);
  const logo = await visitor.call('GET', 'logo');
  assert.equal(logo.headers.get('content-type'), 'image/png');
  assert.ok(Buffer.from(await logo.arrayBuffer()).equals(png));
  await app.api('PATCH', `/devices/${deviceId}`, { body: { web_chat: { title: 'Ask', color: '#112233' } } });
  const own = await visitor.visit();
  assert.deepEqual([own.title, own.color], ['Ask', '#112233']);
  const stranger = createVisitor(() => app.baseUrl, deviceId, 'https://evil.example');
  assert.equal((await stranger.call('GET', 'logo')).status, 403);
});

test('the chat says whether the team is open', async () => {
  const { teamId, visitor } = await openChat();
  const put = (body: object) => app.api('PUT', `/teams/${teamId}/hours`, { body });
  assert.equal((await put({ hours })).status, 200);
  assert.equal((await visitor.visit()).open, false);
  const always = Object.fromEntries(
    Object.keys(closed).map((day) => [day, [{ from: '00:00', until: '24:00' }]]),
  );
  await put({ hours: { ...hours, week: always } });
  assert.equal((await visitor.visit()).open, true);
});

test('a chat that waits asks for an address only while nobody is there', async () => {
  const { teamId, conversationId, untilState } = await openChat();
  await sql`update conversations set flag = 'human_requested' where id = ${conversationId}`.execute(db);
  assert.equal((await untilState((state) => state.waits_for_person)).nobody_there, true);
  const { rows } = await sql<{ id: string }>`
    with person as (
      insert into people (id, email, last_seen_at) values (gen_random_uuid(), 'ada@example.com', now()) returning id
    )
    insert into memberships (user_id, person_id)
    select u.id, person.id from users u, person where u.team_id = ${teamId} limit 1 returning user_id as id`.execute(
    db,
  );
  assert.equal(rows.length, 1);
  await untilState((state) => state.waits_for_person && !state.nobody_there);
  await app.api('PUT', `/teams/${teamId}/hours`, { body: { hours } });
  await untilState((state) => state.waits_for_person && state.nobody_there);
});

test('the visitor sees who takes care of the chat, with a picture, and that a person has read it', async () => {
  const { teamId, visitor, conversationId, untilState } = await openChat();
  const [user] = (await app.api('GET', `/teams/${teamId}/members`)).body.data as { id: string }[];
  const member = `/teams/${teamId}/members/${user?.id}`;
  const refused = await app.api('PATCH', member, { body: { picture: 'data:image/png;base64,AAAA' } });
  assert.deepEqual([refused.status, refused.body.details.issues[0].path], [400, 'picture']);
  const changed = await app.api('PATCH', member, { body: { picture: uri } });
  assert.deepEqual([changed.status, changed.body.data.has_picture], [200, true]);
  const picture = `people/${user?.id}/picture`;
  assert.equal((await visitor.call('GET', picture)).status, 404, 'somebody else takes care of the chat');
  await sql`update conversations set assignee_id = ${user?.id} where id = ${conversationId}`.execute(db);
  const { person } = await untilState((state) => state.person !== null);
  assert.deepEqual(person, { id: user?.id, name: 'Ada', has_picture: true });
  const response = await visitor.call('GET', picture);
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(png));
  assert.equal((await visitor.call('GET', 'people/ada/picture')).status, 404);
  await app.api('POST', `/conversations/${conversationId}/read`);
  await untilState(({ read_at: at }) => at !== null);
  const removed = await app.api('PATCH', member, { body: { picture: null } });
  assert.equal(removed.body.data.has_picture, false);
  await untilState((state) => state.person?.has_picture === false);
});

test('a new site key replaces the earlier one, and belongs to one website', async () => {
  const { deviceId, visitor } = await openChat();
  const { deviceId: other } = await addWebsite(app);
  const key = 'site_0123456789abcdefghij';
  const change = (id: string, site_key: string) =>
    app.api('PATCH', `/devices/${id}`, { body: { web_chat: { site_key } } });
  for (const wrong of [deviceId, 'site_short', `site_${'a'.repeat(61)}`, 'site_0123456789abcdefghi/'])
    assert.equal((await change(deviceId, wrong)).status, 400, wrong);
  const changed = await change(deviceId, key);
  assert.deepEqual(
    [changed.body.data.web_chat.site_key, changed.body.data.web_chat.allowed_origins.length],
    [key, 1],
  );
  const taken = await change(other, key);
  assert.deepEqual(
    [taken.status, taken.body.details.issues],
    [400, [{ path: 'web_chat.site_key', message: 'must not be the key of another device' }]],
  );
  assert.equal((await visitor.write('message-2', 'Hello?')).status, 404);
  visitor.useKey(key);
  assert.equal((await visitor.write('message-2', 'Hello?')).status, 200);
  assert.equal((await visitor.read((messages) => messages.length === 2)).length, 2);
});
