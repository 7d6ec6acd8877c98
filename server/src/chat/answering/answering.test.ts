import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startChatApp, startTestService } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { toMonth } from '../../platform/shared/clock.ts';

const app = await startChatApp();
const { context } = app;
const { db } = context;
app.startAnswering();

const contact = '+15550199';
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };

test('answers a question from its pair, with a trace, for one credit', async () => {
  const desk = await app.addDevice(opening);
  await app.write(desk, contact, 'When do you open?');
  assert.deepEqual(await app.untilReplied(desk, contact), ['We open at nine.']);
  const chat = await app.readChat(desk, contact);
  assert.deepEqual(
    chat.map(({ status }) => status),
    ['answered', 'accepted'],
  );
  const answer = await db
    .selectFrom('answers')
    .selectAll()
    .where('device_id', '=', desk.deviceId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(new Set(chat.map(({ answer_id }) => answer_id)), new Set([answer.id]));
  assert.deepEqual(
    [answer.bot_id, answer.version, answer.answered, answer.credits],
    [desk.botId, 1, true, 1],
  );
  assert.equal((answer.trace as { pair: { question: string } }).pair.question, 'When do you open?');
  assert.equal(await app.creditsUsed(desk), 1);
  const conversation = await app.readConversation(desk, contact);
  assert.deepEqual(
    [conversation.answer_due_at, conversation.claimed_until, conversation.attempts],
    [null, null, 0],
  );
});

test('answers messages within the delay together, once, after the delay', async () => {
  const desk = await app.addDevice(opening, { reply_delay_seconds: 30 });
  await app.write(desk, contact, 'Good day,');
  await app.write(desk, contact, 'When do you open?');
  const { answer_due_at: due } = await app.readConversation(desk, contact);
  const { last } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('created_at').as('last'))
    .where('device_id', '=', desk.deviceId)
    .executeTakeFirstOrThrow();
  assert.equal(Number(due) - Number(last), 30_000);
  await sql`update conversations set answer_due_at = now() where device_id = ${desk.deviceId}`.execute(db);
  await app.untilReplied(desk, contact);
  const answers = await db.selectFrom('answers').where('device_id', '=', desk.deviceId).selectAll().execute();
  assert.equal(answers.length, 1);
  const chat = await app.readChat(desk, contact);
  assert.deepEqual(
    chat.map(({ direction, status }) => `${direction} ${status}`),
    ['in answered', 'in answered', 'out accepted'],
  );
});

test('answers many contacts at once, one answer per message, in order', async () => {
  const desk = await app.addDevice(opening);
  const contacts = Array.from({ length: 20 }, (_, n) => `+1555020${String(n).padStart(2, '0')}`);
  for (let round = 1; round <= 2; round += 1) {
    await Promise.all(contacts.map((each) => app.write(desk, each, 'When do you open?')));
    for (const each of contacts) await app.untilReplied(desk, each, round);
  }
  for (const each of contacts) {
    const chat = await app.readChat(desk, each);
    assert.deepEqual(
      chat.map(({ direction }) => direction),
      ['in', 'out', 'in', 'out'],
    );
  }
  assert.equal(await app.creditsUsed(desk), 40);
});

test('calls an action with values from the question and replies with its response', async () => {
  const service = await startTestService((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"message": "Order A-17 is on its way."}'),
  );
  const desk = await app.addDevice({
    actions: [
      {
        name: 'Order status',
        description: 'Looks up the status of an order',
        endpoint: `${service.url}/orders/{{order_number}}`,
        headers: { key: 'X-Key', value: 'secret' },
      },
    ],
  });
  await app.write(desk, contact, 'What is the status of order A-17?');
  assert.deepEqual(await app.untilReplied(desk, contact), ['Order A-17 is on its way.']);
  const [request] = service.requests;
  assert.deepEqual(
    [request?.method, request?.url, request?.headers['x-key']],
    ['GET', '/orders/A-17', 'secret'],
  );
});

test('sends paragraphs as separate messages, in order', async () => {
  const paragraphs = { questions: [{ question: 'Rules?', answer: 'First.\n\nSecond.\n \nThird,\nlonger.' }] };
  const broken = await app.addDevice({ ...paragraphs, break_lines: true });
  await app.write(broken, contact, 'Rules?');
  assert.deepEqual(await app.untilReplied(broken, contact, 3), ['First.', 'Second.', 'Third,\nlonger.']);
  const whole = await app.addDevice(paragraphs);
  await app.write(whole, contact, 'Rules?');
  assert.equal((await app.untilReplied(whole, contact)).length, 1);
});

test('a request for a person is confirmed free of charge and pauses the bot', async () => {
  const desk = await app.addDevice({ ...opening, allow_human: true }, { human_takeover_minutes: 30 });
  await app.write(desk, contact, '¿Puedo hablar con una persona?');
  const [line] = await app.untilReplied(desk, contact);
  assert.match(line ?? '', /persona de nuestro equipo/);
  const conversation = await app.readConversation(desk, contact);
  assert.deepEqual([conversation.state, conversation.flag], ['paused', 'human_requested']);
  const minutes = ((conversation.paused_until?.getTime() ?? 0) - Date.now()) / 60_000;
  assert.ok(minutes > 29 && minutes <= 30);
  assert.equal(await app.creditsUsed(desk), 0);
  await app.write(desk, contact, 'When do you open?');
  assert.equal((await app.readChat(desk, contact)).at(-1)?.status, 'ignored');
});

test('a bot that has no answer names its purpose', async () => {
  const desk = await app.addDevice({ ...opening, purpose: 'bicycles and repairs' });
  await app.write(desk, contact, 'Who painted the Sistine Chapel?');
  const [line] = await app.untilReplied(desk, contact);
  assert.match(
    line ?? '',
    /I do not know that\. I can help with this: bicycles and repairs\. You can ask me/,
  );
});

test('a pause ends after its time', async () => {
  const desk = await app.addDevice({ ...opening, allow_human: true });
  await app.write(desk, contact, 'Agent please');
  await app.untilReplied(desk, contact);
  await sql`update conversations set paused_until = now() - interval '1 second' where device_id = ${desk.deviceId}`.execute(
    db,
  );
  await app.write(desk, contact, 'When do you open?');
  assert.equal((await app.untilReplied(desk, contact, 2))[1], 'We open at nine.');
  assert.equal((await app.readConversation(desk, contact)).flag, null);
});

test('without allow_human, a request for a person is answered and flagged, and the bot goes on', async () => {
  const desk = await app.addDevice({
    questions: [
      { question: 'Can I talk to a person?', answer: 'Call us.' },
      { question: 'When do you open?', answer: 'We open at nine.' },
    ],
  });
  await app.write(desk, contact, 'Can I talk to a person?');
  assert.deepEqual(await app.untilReplied(desk, contact), ['Call us.']);
  const { state, flag } = await app.readConversation(desk, contact);
  assert.deepEqual([state, flag], ['bot', 'human_requested']);
  await app.write(desk, contact, 'أريد التحدث مع شخص');
  assert.match((await app.untilReplied(desk, contact, 2))[1] ?? '', /شخص من فريقنا/);
  await app.write(desk, contact, 'When do you open?');
  assert.equal((await app.untilReplied(desk, contact, 3))[2], 'We open at nine.');
});

test('ignores the messages when the team is banned or a person takes over before the answer', async () => {
  for (const change of ['banned', 'paused']) {
    const desk = await app.addDevice(opening, { reply_delay_seconds: 1 });
    await app.write(desk, contact, 'When do you open?');
    if (change === 'banned') {
      await sql`update teams set banned = true where id = ${desk.teamId}`.execute(db);
    } else {
      await sql`update conversations set state = 'paused' where device_id = ${desk.deviceId}`.execute(db);
    }
    await eventually(async () => {
      const statuses = (await app.readChat(desk, contact)).map(({ status }) => status);
      assert.deepEqual(statuses, ['ignored'], change);
    });
    assert.equal((await app.readConversation(desk, contact)).answer_due_at, null);
  }
});

test('without credits the conversation is flagged and its messages are answered with the next one', async () => {
  const desk = await app.addDevice({ ...opening, chat_model_level: 2 });
  await sql`update teams set quota_credits = 3 where id = ${desk.teamId}`.execute(db);
  await app.write(desk, contact, 'When do you open?');
  await app.untilReplied(desk, contact);
  assert.equal(await app.creditsUsed(desk), 2);
  await app.write(desk, contact, 'And when do you open?');
  await eventually(async () =>
    assert.equal((await app.readConversation(desk, contact)).flag, 'out_of_credits'),
  );
  const waiting = (await app.readChat(desk, contact)).at(-1);
  assert.equal(waiting?.status, 'received');
  await sql`update teams set quota_credits = 4 where id = ${desk.teamId}`.execute(db);
  await app.write(desk, contact, 'When do you open?');
  await app.untilReplied(desk, contact, 2);
  assert.deepEqual(
    (await app.readChat(desk, contact)).map(({ status }) => status),
    ['answered', 'accepted', 'answered', 'answered', 'accepted'],
  );
  assert.equal((await app.readConversation(desk, contact)).flag, null);
  assert.equal(await app.creditsUsed(desk), 4);
});

test('charges credits exactly under concurrent answers', async () => {
  const desk = await app.addDevice(opening);
  await sql`update teams set quota_credits = 7 where id = ${desk.teamId}`.execute(db);
  const contacts = Array.from({ length: 12 }, (_, n) => `+1555030${String(n).padStart(2, '0')}`);
  await Promise.all(contacts.map((each) => app.write(desk, each, 'When do you open?')));
  await eventually(async () => {
    const { rows } = await sql<{ flag: string | null; n: number }>`
      select flag, count(*)::int as n from conversations
      where device_id = ${desk.deviceId} and answer_due_at is null group by flag order by n`.execute(db);
    assert.deepEqual(rows, [
      { flag: 'out_of_credits', n: 5 },
      { flag: null, n: 7 },
    ]);
  });
  assert.equal(await app.creditsUsed(desk), 7);
  const sent = await db
    .selectFrom('messages')
    .select('id')
    .where('device_id', '=', desk.deviceId)
    .where('direction', '=', 'out')
    .execute();
  assert.equal(sent.length, 7);
});

test('charges the month of the clock', async () => {
  const desk = await app.addDevice(opening);
  await app.write(desk, contact, 'When do you open?');
  await app.untilReplied(desk, contact);
  const row = await db
    .selectFrom('monthly_usage')
    .selectAll()
    .where('team_id', '=', desk.teamId)
    .executeTakeFirstOrThrow();
  assert.equal(String(row.month), toMonth(context.clock.now()));
});
