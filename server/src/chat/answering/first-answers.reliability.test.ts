import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addBot, addTeam } from '../../../test/bots.ts';
import { startChatApp } from '../../../test/chats.ts';

const app = await startChatApp();
const teamId = await addTeam(app.context);

/** The encoder needs longer for so many long questions than the app waits for an answer. */
const questions = Array.from({ length: 400 }, (_, n) => ({
  question: `How do I change the ${'delivery address and the recipient '.repeat(4)} of order number ${n} before it is shipped?`,
  answer: `Write to desk ${n}.`,
}));

test('answers the first questions after a publish while its pairs are encoded', async () => {
  const { id } = await addBot(app, teamId, { questions });
  assert.equal((await app.api('POST', `/bots/${id}/publish`)).status, 200);
  const asked = Array.from({ length: 12 }, async (_, n) => {
    const question = `change recipient of order ${32 * n} please`;
    const { status, body } = await app.api('POST', `/bots/${id}/ask`, { body: { question } });
    return { status, body: JSON.stringify(body) };
  });
  for (const { status, body } of await Promise.all(asked)) assert.equal(status, 200, body);
});
