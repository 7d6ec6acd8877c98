import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeam } from '../../../test/bots.ts';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { settleAnswers } from '../../chat/answering/bot-days.sql.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startChatApp();
const { db } = app.context;
app.startAnswering();

const tandem = { question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' };
const opening = { question: 'When do you open?', answer: 'We open at nine.' };
const hourMs = 3_600_000;

const read = async (path: string, token?: string) => {
  const { status, body } = await app.api('GET', path, token === undefined ? {} : { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
};
const ofBot = ({ botId }: ChatDevice, query = '') => read(`/bots/${botId}/analytics?${query}`);

let contacts = 0;
/** Asks as a new contact, or as a known one, and returns the number of the contact. */
async function ask(device: ChatDevice, text: string, contact?: string, replies = 1): Promise<string> {
  contacts += 1;
  const number = contact ?? `+15550190${String(contacts).padStart(3, '0')}`;
  await app.write(device, number, text);
  await app.untilReplied(device, number, replies);
  return number;
}

/** As the job does `hours` later. */
const settleIn = ({ teamId }: ChatDevice, hours: number) =>
  settleAnswers(db, { teamId, until: new Date(Date.now() + (hours - 24) * hourMs) });

test('counts what each answer was, its topic and its language', async () => {
  const device = await app.addDevice(
    { questions: [tandem, opening], allow_human: true },
    { timezone: 'Pacific/Kiritimati' },
  );
  await ask(device, 'How much is a tandem?');
  await ask(device, 'how much is a tandem please');
  await ask(device, 'Who won the football match in Paris yesterday?');
  await ask(device, 'I want to talk to a person');
  const { sum, periods, topics, languages, timezone } = await ofBot(device);
  assert.equal(timezone, 'Pacific/Kiritimati');
  assert.deepEqual(
    [sum.questions, sum.answered, sum.declined, sum.handed_over, sum.asked_back],
    [4, 2, 1, 1, 0],
  );
  assert.equal(sum.credits, await app.creditsUsed(device));
  assert.equal(sum.cost, 0);
  assert.ok(sum.response_ms >= 0);
  assert.deepEqual(topics, [
    { name: tandem.question, questions: 2, answered: 2, asked_back: 0, declined: 0, handed_over: 0 },
  ]);
  assert.deepEqual(
    languages.map(({ language, questions }: { language: string; questions: number }) => [
      language,
      questions,
    ]),
    [['en', 4]],
  );
  assert.equal(periods.length, 30);
  assert.deepEqual(periods.at(-1), { start: periods.at(-1).start, ...sum });
  // The team lives 14 hours before UTC.
  const today = new Date(Date.now() + 14 * hourMs).toISOString().slice(0, 10);
  assert.ok(periods.at(-1).start >= today, `${periods.at(-1).start} ${today}`);
  for (const by of ['week', 'month']) {
    const grouped = await ofBot(device, `by=${by}`);
    assert.deepEqual(grouped.sum, sum);
    assert.equal(grouped.periods.at(-1).questions, 4, by);
  }
  const stored = await sql<{ text: string }>`
    select string_agg(d::text, '') as text from bot_days d where team_id = ${device.teamId}`.execute(db);
  assert.doesNotMatch(stored.rows[0]?.text ?? '', /football|\+1555|please/);
});

test('counts stay when contacts, answers and bots are deleted, and only the own team sees them', async () => {
  const device = await app.addDevice({ questions: [tandem] });
  const contact = await ask(device, tandem.question);
  await sql`delete from answers where device_id = ${device.deviceId}`.execute(db);
  await sql`delete from conversations where device_id = ${device.deviceId}`.execute(db);
  assert.ok(contact);
  assert.equal((await ofBot(device)).sum.questions, 1);
  const team = await read(`/teams/${device.teamId}/analytics`);
  assert.deepEqual(team.sum, (await ofBot(device)).sum);
  const { token } = await app.issueKey({ teamId: await addTeam(app.context) });
  for (const path of [`/bots/${device.botId}`, `/teams/${device.teamId}`, `/bots/${newId()}`])
    assert.equal((await app.api('GET', `${path}/analytics`, { token })).status, 404, path);
});

test('counts answers that no person and no repetition followed as resolved, once', async () => {
  const device = await app.addDevice({ questions: [tandem, opening] });
  await ask(device, tandem.question);
  const repeating = await ask(device, tandem.question);
  await ask(device, 'how much is a tandem?', repeating, 2);
  await ask(device, opening.question, repeating, 3);
  const helped = await ask(device, opening.question);
  await app.write(device, helped, 'Let me help you.', { fromMe: true });
  await settleIn(device, 1);
  assert.equal((await ofBot(device)).sum.resolved_alone, 0, 'the answers are younger than a day');
  await Promise.all([settleIn(device, 25), settleIn(device, 25)]);
  await settleIn(device, 26);
  const { sum, resolved_until } = await ofBot(device);
  // The first contact, and of the second one the last two topics.
  assert.deepEqual([sum.answered, sum.resolved_alone], [5, 3]);
  assert.ok(resolved_until);
  const other = await app.addDevice({ questions: [tandem] });
  await ask(other, tandem.question);
  await Promise.all([25, 26, 27].map((hours) => settleIn(other, hours)));
  assert.equal((await ofBot(other)).sum.resolved_alone, 1, 'the first ones at once');
});

test('counts the thumbs of people and contacts, and what becomes of them', async () => {
  const device = await app.addDevice({ questions: [tandem] });
  await ask(device, tandem.question);
  const { rows } = await sql<{ id: string }>`
    select id from messages where device_id = ${device.deviceId} and direction = 'out'`.execute(db);
  const rate = async (rating: 'up' | 'down' | null) => {
    await app.api('PUT', `/messages/${rows[0]?.id}/rating`, { body: { rating } });
    const { thumbs_up, thumbs_down } = (await ofBot(device)).sum;
    return [thumbs_up, thumbs_down];
  };
  assert.deepEqual(await rate('up'), [1, 0]);
  assert.deepEqual(await rate('up'), [1, 0]);
  assert.deepEqual(await rate('down'), [0, 1]);
  assert.deepEqual(await rate(null), [0, 0]);
});

test('refuses days that do not exist and times that are too long', async () => {
  const { botId } = await app.addDevice({ questions: [tandem] });
  for (const [query, path] of [
    ['since=2026-02-30', 'since'],
    ['until=2026-13-01', 'until'],
    ['since=yesterday', 'since'],
    ['since=2026-03-02&until=2026-03-01', 'since'],
    ['since=2023-01-01&until=2026-03-01', 'since'],
    ['by=year', 'by'],
  ]) {
    const { status, body } = await app.api('GET', `/bots/${botId}/analytics?${query}`);
    assert.equal(status, 400, query);
    assert.deepEqual(
      body.details.issues.map((issue: { path: string }) => issue.path),
      [path],
      query,
    );
  }
  const longest = await app.api('GET', `/bots/${botId}/analytics?since=2023-01-01&until=2026-01-04&by=month`);
  assert.equal(longest.body.data.periods.length, 37);
});
