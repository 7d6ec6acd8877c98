import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startChatApp } from '../../../test/chats.ts';
import type { RewriteTurn } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { createRewrite } from './rewrite.ts';

const app = await startChatApp();
const { context, bots } = app;

const contactNumber = '+15550199';
const text = 'Your bicycle is ready.';
const signal = new AbortController().signal;
/** A provider that generates text and records its requests. */
function writing(words: string) {
  const turns: RewriteTurn[] = [];
  const provider = {
    generatesText: true,
    rewrite: async (turn: RewriteTurn) => {
      turns.push(turn);
      return { text: words, usage: [] };
    },
  };
  const rewrite = createRewrite({ ...context, bots, provider });
  if (rewrite === null) throw new Error('it says that it writes');
  return { rewrite, turns };
}

test('a provider that generates no text rewrites nothing', () => {
  assert.equal(createRewrite({ ...context, bots }), null);
});

test('rewrites with the conversation as context, for one credit', async () => {
  const desk = await app.addDevice({ questions: [{ question: 'When do you open?', answer: 'At nine.' }] });
  const worker = app.startAnswering();
  await app.write(desk, contactNumber, 'When do you open?');
  await app.untilReplied(desk, contactNumber);
  await worker.close();
  const { rewrite, turns } = writing('Ana, your bicycle is waiting!');
  const rewritten = await rewrite({ ...desk, contactNumber, text }, signal);
  assert.equal(rewritten, 'Ana, your bicycle is waiting!');
  assert.equal(await app.creditsUsed(desk), 2);
  assert.equal(turns[0]?.text, text);
  assert.deepEqual(turns[0]?.messages, [
    { role: 'contact', text: 'When do you open?' },
    { role: 'assistant', text: 'At nine.' },
  ]);
});

test('rewrites and charges nothing without credits or a published version', async () => {
  const desk = await app.addDevice();
  const request = { ...desk, contactNumber, text };
  await sql`update teams set quota_credits = 0 where id = ${desk.teamId}`.execute(context.db);
  assert.equal(await writing('Hi').rewrite(request, signal), null);
  await sql`update bots set live_version = null where id = ${desk.botId}`.execute(context.db);
  assert.equal(await writing('Hi').rewrite(request, signal), null);
  assert.equal(await app.creditsUsed(desk), 0);
});
