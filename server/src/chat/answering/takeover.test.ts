import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { saying } from '../../../test/steps.ts';
import type { AssistantStep } from '../../knowledge/assistant-provider/assistant-provider.ts';

const app = await startChatApp();
const { db } = app.context;
const contact = '+15550199';

/** A worker whose first answer waits for `open`. `asked` resolves when that answer has started. */
function startSlowAnswering() {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let answers = 0;
  const step = async (): Promise<AssistantStep> => {
    answers += 1;
    const text = answers === 1 ? 'too late' : 'the next';
    asked.resolve();
    if (answers === 1) await gate.promise;
    return saying(text);
  };
  // The next renewal, which would detect the lost claim, is far away.
  const worker = app.startAnswering({ provider: { step }, leaseSeconds: 60, graceMs: 10_000 });
  return { worker, asked: asked.promise, open: gate.resolve };
}

const linesOf = async (desk: ChatDevice) =>
  (await app.readChat(desk, contact)).map(({ direction, status, text }) => `${direction} ${status}: ${text}`);

const answersOf = (desk: ChatDevice) =>
  db.selectFrom('answers').selectAll().where('device_id', '=', desk.deviceId).execute();

async function pause(desk: ChatDevice): Promise<string> {
  const { id } = await app.readConversation(desk, contact);
  assert.equal((await app.api('POST', `/conversations/${id}/pause`)).status, 200);
  return id;
}

async function resume(id: string): Promise<void> {
  assert.equal((await app.api('POST', `/conversations/${id}/resume`)).status, 200);
}

/** Takes over during an answer, checks that the answer stores nothing, and returns the chat. */
async function takenOver(desk: ChatDevice, takeOver: () => Promise<unknown>): Promise<string[]> {
  const { worker, asked, open } = startSlowAnswering();
  await app.write(desk, contact, 'One?');
  await asked;
  await takeOver();
  open();
  await worker.close();
  assert.deepEqual(await answersOf(desk), []);
  assert.equal(await app.creditsUsed(desk), 0);
  return linesOf(desk);
}

test('a takeover during an answer cancels it without a charge', async () => {
  const desk = await app.addDevice();
  assert.deepEqual(await takenOver(desk, () => pause(desk)), ['in ignored: One?']);
});

test('a takeover cancels the answer although the bot resumes before it is finished', async () => {
  const desk = await app.addDevice();
  const lines = await takenOver(desk, async () => resume(await pause(desk)));
  assert.deepEqual(lines, ['in ignored: One?']);
});

test('a reply from the phone cancels the answer although the bot resumes at once', async () => {
  const desk = await app.addDevice({}, { human_takeover_minutes: 0 });
  const lines = await takenOver(desk, () => app.write(desk, contact, 'From a person', { fromMe: true }));
  assert.deepEqual(lines, ['in ignored: One?', 'out sent: From a person']);
});

test('answers a message after the bot resumes, though the earlier answer is still running', async () => {
  const desk = await app.addDevice();
  const { worker, asked, open } = startSlowAnswering();
  await app.write(desk, contact, 'One?');
  await asked;
  await resume(await pause(desk));
  await app.write(desk, contact, 'Two?');
  assert.deepEqual(await app.untilReplied(desk, contact), ['the next']);
  open();
  await worker.close();
  assert.deepEqual(await linesOf(desk), ['in ignored: One?', 'in answered: Two?', 'out accepted: the next']);
  assert.equal(await app.creditsUsed(desk), 1);
  assert.equal((await app.readConversation(desk, contact)).attempts, 0);
});
