import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, createChats, createTestBots } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';
import { answerWaitingJob } from './answer-waiting.jobs.ts';
import { createActionCaller } from './call-action.ts';

const base = await startTestApp();
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const app = { ...base, ...createChats({ ...base, bots: createTestBots(base.context), callAction }) };
const { api, context } = app;
const { db, notifications } = context;
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };
const job = answerWaitingJob({ db, notifications });

const numbers = Array.from({ length: 60 }, (_, index) => `+1555018${String(index).padStart(4, '0')}`);

/** Adds a bot whose conversations wait because the model failed and will not be asked again. */
async function addWaiting(count: number): Promise<ChatDevice> {
  const desk = await app.addDevice(opening, { reply_delay_seconds: 60 });
  for (const number of numbers.slice(0, count)) await app.write(desk, number, 'When do you open?');
  await sql`
    update conversations set flag = 'provider_failed', flag_reason = 'rejected', answer_due_at = null
    where device_id = ${desk.deviceId}`.execute(db);
  return desk;
}

const read = async ({ botId }: ChatDevice) => (await api('GET', `/bots/${botId}/waiting`)).body.data;
const start = ({ botId }: ChatDevice) => api('POST', `/bots/${botId}/waiting`);

/** The payload of the queued run, or undefined. */
async function queuedRun({ botId }: ChatDevice): Promise<Parameters<typeof job.run>[0] | undefined> {
  const { rows } = await sql<{ payload: Parameters<typeof job.run>[0] }>`
    select j.payload from graphile_worker._private_jobs j where j.key = ${`answer-waiting:${botId}`}`.execute(
    db,
  );
  return rows[0]?.payload;
}

/** What the runner does with the queued run, including the removal of its row. */
async function runOnce(desk: ChatDevice, signal = new AbortController().signal): Promise<boolean> {
  const payload = await queuedRun(desk);
  if (payload === undefined) return false;
  await sql`delete from graphile_worker._private_jobs where key = ${`answer-waiting:${desk.botId}`}`.execute(
    db,
  );
  await job.run(payload, signal);
  return true;
}

test('counts the conversations that wait, and answers all of them once', async () => {
  const desk = await addWaiting(60);
  assert.deepEqual(await read(desk), { waiting: 60, answering: 0, running: false });
  const [paused = ''] = numbers;
  const { id } = await app.readConversation(desk, paused);
  await api('POST', `/conversations/${id}/pause`);
  assert.equal((await read(desk)).waiting, 59, 'a person has taken over');

  const started = await start(desk);
  assert.deepEqual(started.body.data, { waiting: 59, answering: 0, running: true });
  assert.equal((await start(desk)).status, 200, 'a second call continues the same work');
  assert.ok(await runOnce(desk));
  assert.deepEqual(await read(desk), { waiting: 9, answering: 50, running: true }, 'few are due at once');
  assert.ok(await runOnce(desk));
  assert.deepEqual(await read(desk), { waiting: 9, answering: 50, running: true }, 'waits for the answers');

  app.startAnswering();
  await eventually(async () => {
    await runOnce(desk);
    assert.deepEqual(await read(desk), { waiting: 0, answering: 0, running: false });
  }, 60_000);
  for (const number of numbers.slice(1))
    assert.deepEqual(await app.untilReplied(desk, number).then((replies) => replies.length), 1, number);
  const chat = await app.readChat(desk, paused);
  assert.deepEqual(
    chat.map(({ direction }) => direction),
    ['in'],
  );
  assert.equal(await app.creditsUsed(desk), 59);
});

test('continues after a crash, and gives a conversation that fails again no second turn', async () => {
  const desk = await addWaiting(4);
  await start(desk);
  const payload = (await queuedRun(desk)) ?? assert.fail();
  const controller = new AbortController();
  const publish: typeof notifications.publish = () => controller.abort(new Error('killed'));
  const killed = answerWaitingJob({ db, notifications: { publish } });
  await assert.rejects(killed.run(payload, controller.signal), /killed/);
  assert.deepEqual(await read(desk), { waiting: 3, answering: 1, running: true });
  // The runner repeats the job with the same payload.
  assert.ok(await runOnce(desk));
  assert.deepEqual(await read(desk), { waiting: 0, answering: 4, running: false });

  await start(desk);
  await sql`
    update conversations set flag = 'provider_failed', answer_due_at = null where device_id = ${desk.deviceId}`.execute(
    db,
  );
  await start(desk);
  const again = (await queuedRun(desk)) ?? assert.fail();
  const { rows } = await sql<{ id: string }>`
    select id from conversations where device_id = ${desk.deviceId} order by id`.execute(db);
  await job.run({ ...again, after: rows[1]?.id ?? '' }, new AbortController().signal);
  assert.deepEqual((await read(desk)).waiting, 2);
});

test('refuses a bot that was never published, a banned team, viewers and other teams', async () => {
  const desk = await addWaiting(1);
  const viewer = await app.issueKey({ teamId: desk.teamId, role: 'viewer' });
  const other = await app.issueKey({ teamId: (await addWaiting(1)).teamId });
  const post = (token: string) => api('POST', `/bots/${desk.botId}/waiting`, { token });
  assert.equal((await post(viewer.token)).status, 403);
  assert.equal((await post(other.token)).status, 404);
  assert.equal((await api('GET', `/bots/${newId()}/waiting`)).status, 404);
  await sql`update bots set live_version = null where id = ${desk.botId}`.execute(db);
  assert.equal((await start(desk)).body.details.reason, 'bot_not_published');
  await sql`update teams set banned = true where id = ${desk.teamId}`.execute(db);
  assert.equal((await start(desk)).body.details.reason, 'team_banned');
  assert.equal(await queuedRun(desk), undefined);
});
