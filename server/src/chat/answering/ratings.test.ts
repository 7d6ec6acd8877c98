import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, createChats, createTestBots } from '../../../test/chats.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createActionCaller } from './call-action.ts';

const base = await startTestApp();
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const app = { ...base, ...createChats({ ...base, bots: createTestBots(base.context), callAction }) };
const { api, context } = app;
const { db } = context;
const contact = '+15550178301';
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };
app.startAnswering();

interface Answered extends ChatDevice {
  /** The answer of the bot, with its id of the network. */
  message: { id: string; networkId: string };
}

async function addAnswer(): Promise<Answered> {
  const desk = await app.addDevice(opening);
  await app.write(desk, contact, 'When do you open?');
  await app.untilReplied(desk, contact);
  const { rows } = await sql<Answered['message']>`
    select id, network_id as "networkId" from messages
    where device_id = ${desk.deviceId} and direction = 'out' limit 1`.execute(db);
  return { ...desk, message: rows[0] ?? assert.fail() };
}

const react = ({ message, ...desk }: Answered, emoji: string) =>
  app.write(desk, contact, `[reaction ${emoji}]`, {
    details: { type: 'reaction', about: message.networkId, emoji },
  });

const thumbsOf = async ({ message }: Answered) => {
  const { rating, contact_rating } = (await api('GET', `/messages/${message.id}`)).body.data;
  return { rating, contact_rating };
};

const found = async ({ teamId }: Answered, rating: string) =>
  (await api('GET', `/conversations?team_id=${teamId}&rating=${rating}`)).body.data.length;

test('keeps the thumb of a contact, in every colour, until the reaction changes or is removed', async () => {
  const answer = await addAnswer();
  for (const [emoji, expected] of [
    ['👍', 'up'],
    ['👎🏿', 'down'],
    ['👍🏽', 'up'],
    ['❤️', undefined],
    ['👎️', 'down'],
    ['', undefined],
    ['👍👍', undefined],
    ['👎', 'down'],
  ] as const) {
    await react(answer, emoji);
    assert.equal((await thumbsOf(answer)).contact_rating, expected, emoji);
  }
  assert.deepEqual([await found(answer, 'down'), await found(answer, 'up')], [1, 0]);
  assert.equal(
    (await app.readChat(answer, contact)).filter(({ direction }) => direction === 'out').length,
    1,
  );
});

test('lets people rate an answer, beside the contact, and finds it by either', async () => {
  const answer = await addAnswer();
  const rate = (rating: unknown, token?: string) =>
    api('PUT', `/messages/${answer.message.id}/rating`, {
      body: { rating },
      ...(token === undefined ? {} : { token }),
    });
  assert.deepEqual((await rate('up')).body.data.rating, 'up');
  await react(answer, '👎');
  assert.deepEqual(await thumbsOf(answer), { rating: 'up', contact_rating: 'down' });
  assert.deepEqual([await found(answer, 'up'), await found(answer, 'down')], [1, 1]);
  assert.equal((await rate(null)).status, 200);
  assert.deepEqual(await thumbsOf(answer), { rating: undefined, contact_rating: 'down' });
  assert.equal(await found(answer, 'up'), 0);
  assert.equal((await rate('sideways')).status, 400);
  assert.equal((await api('GET', '/conversations?rating=sideways')).status, 400);
  const viewer = await app.issueKey({ teamId: answer.teamId, role: 'viewer' });
  assert.equal((await rate('up', viewer.token)).status, 403);
  const other = await app.issueKey({ teamId: (await addAnswer()).teamId });
  assert.equal((await rate('up', other.token)).status, 404);
  const { body } = await api('GET', `/messages?direction=in&team_id=${answer.teamId}`);
  const reaction = body.data[0].id;
  assert.equal((await api('PUT', `/messages/${reaction}/rating`, { body: { rating: 'up' } })).status, 404);
});

test('counts an answer with a thumb down as unanswered, exports thumbs and erases them', async () => {
  const answer = await addAnswer();
  const groups = async () => (await api('GET', `/bots/${answer.botId}/unanswered`)).body.data.groups;
  assert.equal((await groups()).length, 0);
  await react(answer, '👎');
  const [group] = await groups();
  assert.deepEqual([group.question, group.thumbs_down], ['When do you open?', 1], 'although a pair has it');
  await sql`update bots set live_version = null where id = ${answer.botId}`.execute(db);
  const number = encodeURIComponent(contact);
  const exported = await api('POST', `/contacts/${number}/export`, { body: { team_id: answer.teamId } });
  const { rating, contact_rating } = exported.body.data.answers[0];
  assert.deepEqual([rating, contact_rating], [null, 'down']);
  const erased = await api('POST', `/contacts/${number}/erase`, { body: { team_id: answer.teamId } });
  assert.equal(erased.status, 200);
  const { rows } = await sql`select from answers where team_id = ${answer.teamId}`.execute(db);
  assert.equal(rows.length, 0);
});
