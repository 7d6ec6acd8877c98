import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { newPhone } from '../../../test/devices.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import { createActionCaller } from './call-action.ts';
import { replyLanguages } from './canned-replies.ts';
import { findNotice } from './notice.ts';

const app = await startTestApp();
const { db } = app.context;
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const chats = createChats({ ...app, bots: createTestBots(app.context), callAction });
chats.startAnswering({ disclosure: { mode: 'first_reply' } });

const questions = [{ question: 'When do you open?', answer: 'We open at nine.\n\nWe close at six.' }];
type Desk = Awaited<ReturnType<typeof chats.addDevice>>;

const ask = async (desk: Desk, contact: string, count: number): Promise<string[]> => {
  await chats.write(desk, contact, 'When do you open?');
  return (await chats.untilReplied(desk, contact, count)).slice(count - 1);
};

const nameOf = async ({ teamId }: Desk): Promise<string> =>
  (await app.api('GET', `/teams/${teamId}`)).body.data.name;

async function passDays({ deviceId }: Desk, days: number): Promise<void> {
  await sql`
    update messages set created_at = created_at - make_interval(days => ${days}) where device_id = ${deviceId}`.execute(
    db,
  );
  await sql`
    update conversations set noticed_at = noticed_at - make_interval(days => ${days}) where device_id = ${deviceId}`.execute(
    db,
  );
}

const setDisclosure = ({ teamId }: Desk, disclosure: unknown) =>
  app.api('PATCH', `/teams/${teamId}`, { body: { settings: { disclosure } } });

const plain = 'We open at nine.\n\nWe close at six.';

test('the first answer says that a machine answers and for whom, in the same message, and the next does not', async () => {
  const [desk, contact] = [await chats.addDevice({ questions }), newPhone()];
  const notice = `Hi, I am the automatic assistant of ${await nameOf(desk)}.`;
  assert.deepEqual(await ask(desk, contact, 1), [`${notice}\n\n${plain}`]);
  assert.deepEqual(await ask(desk, contact, 2), [plain]);
  assert.deepEqual(await ask(desk, newPhone(), 1), [`${notice}\n\n${plain}`]);
});

test('says it again after thirty days without a message to the contact, or as many as the team wants', async () => {
  const [desk, contact] = [await chats.addDevice({ questions }), newPhone()];
  await ask(desk, contact, 1);
  await passDays(desk, 29);
  assert.deepEqual(await ask(desk, contact, 2), [plain]);
  await passDays(desk, 31);
  assert.match((await ask(desk, contact, 3))[0] ?? '', /automatic assistant/);
  await setDisclosure(desk, { mode: 'first_reply', after_days: 90 });
  await passDays(desk, 89);
  assert.deepEqual(await ask(desk, contact, 4), [plain]);
});

test('says it in every conversation, after a day without a message', async () => {
  const [desk, contact] = [await chats.addDevice({ questions }), newPhone()];
  await setDisclosure(desk, { mode: 'every_conversation' });
  await ask(desk, contact, 1);
  assert.deepEqual(await ask(desk, contact, 2), [plain]);
  await passDays(desk, 2);
  assert.match((await ask(desk, contact, 3))[0] ?? '', /automatic assistant/);
});

test('a team switches it off only with a reason, and words it itself', async () => {
  const [desk, contact] = [await chats.addDevice({ questions }), newPhone()];
  for (const reason of [undefined, '  ']) {
    const { status, body } = await setDisclosure(desk, { mode: 'off', ...(reason && { reason }) });
    assert.deepEqual([status, body.details.issues[0].path], [400, 'settings.disclosure.reason']);
  }
  const off = { mode: 'off', reason: 'Every contact signs a form that says it.' };
  assert.deepEqual((await setDisclosure(desk, off)).body.data.settings.disclosure, off);
  assert.deepEqual(await ask(desk, contact, 1), [plain]);
  await setDisclosure(desk, { mode: 'first_reply', texts: { en: 'A robot of {name} writes this.' } });
  const other = newPhone();
  const [text] = await ask(desk, other, 1);
  assert.equal(text, `A robot of ${await nameOf(desk)} writes this.\n\n${plain}`);
  assert.equal((await setDisclosure(desk, null)).body.data.settings.disclosure, null);
});

test('an answer of several messages says it in the first one', async () => {
  const desk = await chats.addDevice({ questions, break_lines: true });
  await chats.write(desk, '+15550123', 'When do you open?');
  const [first, second] = await chats.untilReplied(desk, '+15550123', 2);
  assert.match(first ?? '', /automatic assistant.*\n\nWe open at nine\.$/s);
  assert.equal(second, 'We close at six.');
});

test('says it in the language of the contact', () => {
  const context = { teamName: 'Lumen $& Bikes', disclosure: null, noticed: false, silentMs: null };
  const byDefault: Disclosure = { mode: 'first_reply' };
  const notices = replyLanguages.map((language) => findNotice(context, { byDefault, language }) ?? '');
  assert.equal(new Set(notices).size, replyLanguages.length);
  for (const notice of notices) assert.ok(notice.includes('Lumen $& Bikes'), notice);
  assert.equal(findNotice(context, { byDefault, language: 'xx' }), notices[0]);
});

test('a published bot says it its own way, and follows the team without one', async () => {
  const disclosure = { mode: 'first_reply', texts: { en: 'A robot writes this.' } };
  const [desk, contact] = [await chats.addDevice({ questions, disclosure }), newPhone()];
  assert.deepEqual(await ask(desk, contact, 1), [`A robot writes this.\n\n${plain}`]);
  const change = async (changed: unknown) => {
    const { status } = await app.api('PATCH', `/bots/${desk.botId}`, { body: { disclosure: changed } });
    assert.equal(status, 200);
    assert.equal((await app.api('POST', `/bots/${desk.botId}/publish`)).status, 200);
  };
  await change({ mode: 'off', reason: 'The shop says it at the door' });
  assert.deepEqual(await ask(desk, newPhone(), 1), [plain]);
  await change(null);
  assert.match((await ask(desk, newPhone(), 1))[0] ?? '', /automatic assistant/);
});
