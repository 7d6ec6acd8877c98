import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { newPhone } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { isAutomated, type RecentMessage } from './automated-contact.ts';
import { createActionCaller } from './call-action.ts';
import { findNotice } from './notice.ts';

const app = await startTestApp();
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const chats = createChats({ ...app, bots: createTestBots(app.context), callAction });
chats.startAnswering();

const answer = 'We open at nine, every day of the week.';

/** A chat in which the contact writes each text some seconds after the answer to the one before. */
const chatOf = (texts: readonly string[], seconds: number): RecentMessage[] =>
  texts.flatMap((text, index) => {
    const atMs = index * (seconds + 1) * 1000;
    return [
      { direction: 'in', text, atMs },
      ...(index === texts.length - 1 ? [] : [{ direction: 'out' as const, text: answer, atMs: atMs + 1000 }]),
    ];
  });

const noticeOf = (language: string): string =>
  findNotice(
    { teamName: 'Lumen Bikes', disclosure: null, noticed: false, silentMs: null },
    { byDefault: { mode: 'first_reply' }, language },
  ) ?? '';

const autoReply = 'Thank you for your message. We will reply within 24 hours.';
const lines = [
  'Good morning, which of our bicycles are you looking for today?',
  'We have bicycles for adults and for children, and tandems.',
  'A tandem costs thirty euros a day, with two helmets included.',
  'Would you like to reserve one of them for the coming weekend?',
  'Please tell me the day and the hour at which you would come.',
  'I can offer you ten per cent less if you rent for two days.',
];

test('five times nearly the same text in a row is a machine', () => {
  assert.ok(isAutomated(chatOf(Array(5).fill(autoReply), 60)));
  assert.ok(!isAutomated(chatOf(Array(4).fill(autoReply), 3)));
  assert.ok(!isAutomated(chatOf(Array(9).fill(autoReply), 24 * 3600)));
  const greeted = [`Good morning, Ana! ${autoReply}`, ...Array(4).fill(autoReply)];
  assert.ok(isAutomated(chatOf(greeted, 60)));
  const tickets = [4711, 4712, 4713, 4714, 4715].map((ticket) => `Your ticket is ${ticket}. ${autoReply}`);
  assert.ok(isAutomated(chatOf(tickets, 60)));
});

test('a machine that goes on is one, also if it sends its text twice', () => {
  const chat = chatOf(Array(6).fill(autoReply), 60);
  const last = chat.at(-1) ?? assert.fail();
  assert.ok(isAutomated([...chat, { ...last, atMs: last.atMs + 1000 }]));
});

test('few texts that come faster than anybody types are a machine', () => {
  const [one = '', other = '', third = ''] = lines;
  assert.ok(isAutomated(chatOf([one, other, one, third, one, other], 3)));
  assert.ok(!isAutomated(chatOf([one, other, one, third, one, other], 20)));
});

/** A chat in which each text of the contact follows what the bot said. */
const dialogue = (texts: readonly string[], seconds: number): RecentMessage[] =>
  texts.map((text, index) => ({
    direction: index % 2 === 0 ? 'in' : 'out',
    text,
    atMs: index * seconds * 1000,
  }));

test('who says four times in a row what the bot said before is a machine, also if numbers differ', () => {
  const fine = ['Hello', ...Array(10).fill('Fine.')];
  assert.ok(isAutomated(dialogue(fine, 20)));
  assert.ok(!isAutomated(dialogue(fine.slice(0, 7), 20)));
  const numbered = fine.map((text, index) => `${text} ${index}`);
  assert.ok(isAutomated(dialogue(numbered, 20)));
  assert.ok(!isAutomated(dialogue([...numbered, 'Fine. 11', 'How much is a tandem?'], 20)));
  const repeated = Array.from({ length: 20 }, (_, n) => [`Question ${n}`, `Question ${n}`]).flat();
  assert.ok(!isAutomated(dialogue(repeated.slice(0, -1), 1)), 'the bot is the echo');
});

test('who says that it is an automatic assistant is a machine after five fast messages', () => {
  const said = lines.map((text, index) => (index === 0 ? `${noticeOf('en')}\n\n${text}` : text));
  assert.ok(isAutomated(chatOf(said.slice(0, 5), 4)));
  assert.ok(!isAutomated(chatOf(said.slice(0, 4), 4)));
  assert.ok(!isAutomated(chatOf(said, 20)), 'a person took over');
});

test('a person is none: repeated questions, short words, many different questions, however fast', () => {
  assert.ok(!isAutomated(chatOf(Array(4).fill('When do you open tomorrow morning?'), 2)));
  assert.ok(!isAutomated(chatOf(Array(20).fill('Good morning'), 1)));
  assert.ok(!isAutomated(chatOf(['yes', '2', 'no', 'ok', 'blue', '2', 'thanks', 'ok', 'ok', 'ok'], 1)));
  assert.ok(!isAutomated(chatOf(lines, 0)));
  assert.ok(
    !isAutomated(
      chatOf(
        Array.from({ length: 120 }, (_, n) => `Question ${n} about your bicycles`),
        0,
      ),
    ),
  );
});

test('a long run of few texts without a pause is a machine, and one with pauses is none', () => {
  const run = Array.from({ length: 48 }, (_, index) => lines[index % lines.length] ?? '');
  assert.ok(isAutomated(chatOf(run, 20)));
  assert.ok(!isAutomated(chatOf(run, 40)));
});

test('the bot stops, marks the conversation and reports it, and answers another text again', async () => {
  const desk = await chats.addDevice({ questions: [{ question: 'When do you open?', answer }] });
  const contact = newPhone();
  for (const count of [1, 2, 3, 4]) {
    await chats.write(desk, contact, autoReply);
    await chats.untilReplied(desk, contact, count);
  }
  await chats.write(desk, contact, autoReply);
  await eventually(async () => {
    assert.equal((await chats.readConversation(desk, contact)).flag, 'automated_contact');
  });
  const chat = await chats.readChat(desk, contact);
  assert.equal(chat.filter(({ direction }) => direction === 'out').length, 4);
  assert.equal(chat.at(-1)?.status, 'ignored');
  const { rows } = await sql<{ type: string }>`
    select type from events where contact_number = ${contact} and type like 'contact.%'`.execute(
    app.context.db,
  );
  assert.deepEqual(rows, [{ type: 'contact.automated' }]);
  await chats.write(desk, contact, 'When do you open?');
  assert.equal((await chats.untilReplied(desk, contact, 5)).at(-1), answer);
  assert.equal((await chats.readConversation(desk, contact)).flag, null);
});
