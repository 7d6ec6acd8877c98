import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';

const app = await startChatApp();
const contact = '+15550199';
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };
const question = { kind: 'text', text: 'When do you open?' } as const;
const ago = (minutes: number) => ({ sentAt: new Date(Date.now() - minutes * 60_000) });

test('answers a question from a downtime of hours, and flags one from days', async () => {
  const [recent, old] = [await app.addDevice(opening), await app.addDevice(opening)];
  await app.write(recent, contact, question, ago(700));
  await app.write(old, contact, question, ago(740));
  const worker = app.startAnswering({});
  assert.deepEqual(await app.untilReplied(recent, contact), ['We open at nine.']);
  await eventually(async () => {
    assert.equal((await app.readConversation(old, contact)).flag, 'unanswered');
    assert.equal(await app.readOutcome(old, contact), 'too_old');
  });
  await app.write(old, contact, question);
  assert.deepEqual(await app.untilReplied(old, contact), ['We open at nine.']);
  await worker.close();
});

test('takes the time of the bot, and answers what waited for its worker', async () => {
  const bot = { ...opening, answer_max_age_minutes: 5 };
  const [strict, waiting] = [await app.addDevice(bot), await app.addDevice(bot)];
  const { body } = await app.api('GET', `/bots/${strict.botId}`);
  assert.equal(body.data.answer_max_age_minutes, 5);
  await app.write(strict, contact, question, ago(6));
  await app.write(waiting, contact, question, ago(6));
  await app.context.db
    .updateTable('messages')
    .set({ created_at: new Date(Date.now() - 6 * 60_000) })
    .where('device_id', '=', waiting.deviceId)
    .execute();
  const worker = app.startAnswering({});
  await eventually(async () => assert.equal(await app.readOutcome(strict, contact), 'too_old'));
  assert.deepEqual(await app.untilReplied(waiting, contact), ['We open at nine.']);
  await worker.close();
});
