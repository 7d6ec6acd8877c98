import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startChatApp } from '../../../test/chats.ts';
import { deleteTeam } from '../../lifecycle/team-deletion/delete-team.ts';

const app = await startChatApp();
app.startAnswering();
const contact = '+15550199';
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };

test('shows how the bot found an answer, by the question and by the reply', async () => {
  const desk = await app.addDevice(opening);
  await app.write(desk, contact, 'When do you open?');
  await app.untilReplied(desk, contact);
  const { data: messages } = (await app.api('GET', `/messages?device_id=${desk.deviceId}`)).body;
  assert.equal(messages.length, 2);

  for (const { id } of messages) {
    const { status, body } = await app.api('GET', `/messages/${id}/answer`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.bot_id, desk.botId);
    assert.equal(body.data.version, 1);
    assert.equal(body.data.answered, true);
    assert.equal(body.data.trace.pair.question, 'When do you open?');
  }
});

test('finds no answer of messages without one, of other teams and of deleted teams', async () => {
  const desk = await app.addDevice(opening);
  await app.write(desk, contact, 'When do you open?');
  await app.untilReplied(desk, contact);
  const { data: messages } = (await app.api('GET', `/messages?device_id=${desk.deviceId}`)).body;
  const path = `/messages/${messages[0].id}/answer`;
  const stranger = await app.issueKey({ teamId: (await app.addDevice(opening)).teamId });
  const refused = await app.api('GET', path, { token: stranger.token });
  assert.equal(refused.status, 404);
  assert.equal(refused.body.details.reason, 'answer_not_found');

  await sql`update messages set answer_id = null where id = ${messages[1].id}`.execute(app.context.db);
  assert.equal((await app.api('GET', `/messages/${messages[1].id}/answer`)).status, 404);
  await app.context.db.transaction().execute((tx) => deleteTeam(tx, desk.teamId));
  assert.equal((await app.api('GET', path)).status, 404);
});
