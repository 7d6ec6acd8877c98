import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { answerWithNewCreditsJob } from './answering.jobs.ts';

const app = await startChatApp();
const { context } = app;
const { db } = context;
const clock = { at: new Date(), now: () => clock.at };
app.startAnswering({ clock });

const question = 'When do you open?';
const opening = { questions: [{ question, answer: 'We open at nine.' }] };
const contacts = ['+15550101', '+15550102', '+15550103'] as const;
const [contact] = contacts;

const sweep = () => answerWithNewCreditsJob({ db, clock }).run({}, new AbortController().signal);

async function setCredits({ teamId }: ChatDevice, credits: number): Promise<void> {
  await sql`update teams set quota_credits = ${credits} where id = ${teamId}`.execute(db);
}

const dueOf = async (desk: ChatDevice, of: string) => (await app.readConversation(desk, of)).answer_due_at;

/** A device without credits that some contacts wrote to. */
async function deskOutOfCredits(
  bot: object = {},
  writing: readonly string[] = [contact],
): Promise<ChatDevice> {
  const desk = await app.addDevice({ ...opening, ...bot });
  await setCredits(desk, 0);
  for (const each of writing) await app.write(desk, each, question);
  await eventually(async () => {
    for (const each of writing) {
      assert.equal((await app.readConversation(desk, each)).flag, 'out_of_credits');
    }
  });
  return desk;
}

test('answers conversations that lacked credits when the quota or plan provides some', async () => {
  const desk = await deskOutOfCredits();
  const { body } = await app.api('GET', `/messages?device_id=${desk.deviceId}`);
  assert.equal(body.data[0].outcome, 'out_of_credits');
  await sweep();
  assert.equal(await dueOf(desk, contact), null, 'there are none yet');
  await setCredits(desk, 1);
  await sweep();
  assert.deepEqual(await app.untilReplied(desk, contact), ['We open at nine.']);
  assert.equal((await app.readConversation(desk, contact)).flag, null);
});

test('answers conversations that lacked credits when the month changes in UTC', async () => {
  clock.at = new Date('2027-03-31T23:59:59.999Z');
  const desk = await app.addDevice(opening);
  await setCredits(desk, 1);
  await app.write(desk, contact, question);
  await app.untilReplied(desk, contact);
  await app.write(desk, contact, question);
  await eventually(async () =>
    assert.equal((await app.readConversation(desk, contact)).flag, 'out_of_credits'),
  );
  await sweep();
  assert.equal(await dueOf(desk, contact), null);
  clock.at = new Date('2027-04-01T00:00:00.000Z');
  await sweep();
  await app.untilReplied(desk, contact, 2);
});

test('makes no more conversations due than there are credits for', async () => {
  const desk = await deskOutOfCredits({ chat_model_level: 2 }, contacts);
  await setCredits(desk, 5);
  await sweep();
  await eventually(async () => {
    const replies = await Promise.all(
      contacts.map(async (each) => (await app.readChat(desk, each)).map(({ status }) => status)),
    );
    const answered = replies.filter((statuses) => statuses.includes('answered'));
    assert.equal(answered.length, 2, JSON.stringify(replies));
  });
  const fences = await Promise.all(
    contacts.map(async (each) => Number((await app.readConversation(desk, each)).claim_fence)),
  );
  assert.deepEqual(fences.sort(), [1, 2, 2], 'the third was not claimed again');
});

test('skips conversations that are paused, banned or without unanswered messages', async () => {
  const desks = await Promise.all([1, 2, 3].map(() => deskOutOfCredits()));
  const [paused, banned, answered] = desks;
  await sql`update conversations set state = 'paused' where device_id = ${paused?.deviceId}`.execute(db);
  await sql`update teams set banned = true where id = ${banned?.teamId}`.execute(db);
  await sql`update messages set status = 'ignored' where device_id = ${answered?.deviceId}`.execute(db);
  for (const desk of desks) await setCredits(desk, 9);
  await sweep();
  for (const desk of desks) assert.equal(await dueOf(desk, contact), null);
});

test('skips locked conversations and makes them due at the next sweep', async () => {
  const [lockedContact, freeContact] = contacts;
  const desk = await deskOutOfCredits({}, [lockedContact, freeContact]);
  await setCredits(desk, 2);
  const { id } = await app.readConversation(desk, lockedContact);
  await db.transaction().execute(async (tx) => {
    await sql`select from conversations where id = ${id} for update`.execute(tx);
    await sweep();
    await app.untilReplied(desk, freeContact);
  });
  await app.untilReplied(desk, lockedContact, 0);
  await sweep();
  await app.untilReplied(desk, lockedContact);
});
