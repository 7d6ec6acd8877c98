import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startChatApp();
const { db } = app.context;
app.startAnswering();
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };

const read = (device: ChatDevice, query = '', token?: string) =>
  app.api('GET', `/bots/${device.botId}/unanswered${query}`, token === undefined ? {} : { token });

/** Writes as if the contact had asked, and the bot had answered or not. */
async function addQuestion(
  { teamId, botId, deviceId }: ChatDevice,
  question: string,
  { contact = '+15550101', minutes = 0, answered = false, trace = {}, failure = null as string | null } = {},
): Promise<void> {
  const answerId = newId();
  const at = sql`now() - make_interval(mins => ${minutes})`;
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${newId()}, ${teamId}, ${deviceId}, ${contact}) on conflict do nothing`.execute(db);
  await sql`
    insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace, created_at)
    values (${answerId}, ${teamId}, ${botId}, 1, ${deviceId}, ${contact}, ${answered}, 1, ${JSON.stringify(trace)}::jsonb, ${at})`.execute(
    db,
  );
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, failure, answer_id, created_at)
    values (${newId()}, ${teamId}, ${deviceId}, ${contact}, 'in', 'contact', 'text', ${question}, ${newId()}, 'answered', ${failure}, ${answerId}, ${at})`.execute(
    db,
  );
}

test('groups what a bot could not answer, with the newest conversations', async () => {
  const device = await app.addDevice(opening);
  const contacts = ['+15550111', '+15550112'];
  await app.write(device, '+15550111', 'Do you deliver to Madeira?');
  await app.untilReplied(device, '+15550111');
  await app.write(device, '+15550112', 'Do you ship to the island of Madeira?');
  await app.untilReplied(device, '+15550112');
  await app.write(device, '+15550113', 'When do you open?');
  await app.untilReplied(device, '+15550113');
  await app.write(device, '+15550114', 'Are dogs allowed?');
  await app.untilReplied(device, '+15550114');

  const { status, body } = await read(device);
  assert.equal(status, 200, JSON.stringify(body));
  const { total, complete, groups } = body.data;
  assert.deepEqual([total, complete], [2, true]);
  assert.deepEqual(
    groups.map(({ count, examples }: { count: number; examples: { question: string }[] }) => [
      count,
      examples.map(({ question }) => question),
    ]),
    [
      [2, ['Do you ship to the island of Madeira?', 'Do you deliver to Madeira?']],
      [1, ['Are dogs allowed?']],
    ],
  );
  const [newest] = groups[0].examples;
  assert.equal(groups[0].last_asked_at, newest.asked_at);
  assert.equal(newest.conversation_id, (await app.readConversation(device, contacts[1] ?? '')).id);
  const limited = (await read(device, '?limit=1')).body.data;
  assert.deepEqual([limited.total, limited.groups.length], [2, 1]);
});

test('leaves out a group as soon as a published pair has one of its questions', async () => {
  const device = await app.addDevice(opening);
  await addQuestion(device, 'Do you deliver to Madeira?');
  await addQuestion(device, 'do you ship to the island of madeira');
  const count = async () => (await read(device)).body.data.total;
  const pair = { question: 'Do you ship to the island of Madeira?', answer: 'Yes.' };
  await app.api('PATCH', `/bots/${device.botId}`, { body: { questions: [...opening.questions, pair] } });
  assert.equal(await count(), 1);
  await app.api('POST', `/bots/${device.botId}/publish`);
  assert.equal(await count(), 0);
});

test('counts only questions of the last 30 days that the bot should know', async () => {
  const device = await app.addDevice(opening);
  await addQuestion(device, 'Who won the match?', { trace: { off_topic: true } });
  await addQuestion(device, 'Do you rent scooters?', { minutes: 31 * 24 * 60 });
  await addQuestion(device, 'Do you rent canoes?', { answered: true });
  await addQuestion(device, 'a voice note', { failure: 'provider_failed' });
  assert.deepEqual((await read(device)).body.data, { total: 0, complete: true, groups: [] });
});

test('reads the newest 300 questions and shows at most five examples', async () => {
  const device = await app.addDevice(opening);
  for (let minutes = 0; minutes < 302; minutes += 1)
    await addQuestion(device, 'Do you rent scooters?', { minutes, contact: `+1555${minutes}` });
  const { total, complete, groups } = (await read(device)).body.data;
  assert.deepEqual([total, complete, groups[0].count, groups[0].examples.length], [1, false, 300, 5]);
});

test('shows them to a viewer of the team and to nobody of another team', async () => {
  const [device, other] = [await app.addDevice(opening), await app.addDevice(opening)];
  const { token } = await app.issueKey({ teamId: device.teamId, role: 'viewer' });
  assert.equal((await read(device, '', token)).status, 200);
  const refused = await read(other, '', token);
  assert.deepEqual([refused.status, refused.body.details.reason], [404, 'bot_not_found']);
  assert.equal((await read({ ...device, botId: newId() })).status, 404);
  for (const limit of ['0', '101', 'x']) assert.equal((await read(device, `?limit=${limit}`)).status, 400);
});
