import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startChatApp } from '../../test/chats.ts';
import type { AssistantStep, AssistantTurn } from '../adapters/assistant-provider/assistant-provider.ts';
import { createRewrite } from './rewrite.ts';

const app = await startChatApp();
const { context, bots } = app;

const contactNumber = '+15550199';
const text = 'Your bicycle is ready.';
const signal = new AbortController().signal;
const usage = { inputTokens: 0, outputTokens: 0 };

/** A provider that generates text and records its requests. */
function writing(step: AssistantStep) {
  const turns: AssistantTurn[] = [];
  const provider = {
    generates: true,
    step: async (turn: AssistantTurn) => {
      turns.push(turn);
      return step;
    },
  };
  const rewrite = createRewrite({ ...context, bots, provider });
  if (rewrite === null) throw new Error('it says that it writes');
  return { rewrite, turns };
}

const saying = (words: string, answered = true): AssistantStep => ({
  kind: 'answer',
  text: words,
  answered,
  sources: [],
  usage,
});

test('a provider that generates no text rewrites nothing', () => {
  assert.equal(createRewrite({ ...context, bots }), null);
});

test('rewrites with the conversation as context, for one credit', async () => {
  const desk = await app.addDevice({ questions: [{ question: 'When do you open?', answer: 'At nine.' }] });
  const worker = app.startAnswering();
  await app.write(desk, contactNumber, 'When do you open?');
  await app.untilReplied(desk, contactNumber);
  await worker.close();
  const { rewrite, turns } = writing(saying('Ana, your bicycle is waiting!'));
  const rewritten = await rewrite({ ...desk, contactNumber, text }, signal);
  assert.equal(rewritten, 'Ana, your bicycle is waiting!');
  assert.equal(await app.creditsUsed(desk), 2);
  const messages = turns[0]?.messages ?? [];
  assert.deepEqual(messages.slice(0, 2), [
    { role: 'contact', text: 'When do you open?' },
    { role: 'assistant', text: 'At nine.' },
  ]);
  const last = messages[2];
  assert.ok(last?.role === 'contact' && last.text.endsWith(text));
});

test('rewrites and charges nothing without text, credits or a published version', async () => {
  const desk = await app.addDevice();
  const request = { ...desk, contactNumber, text };
  assert.equal(await writing(saying('?', false)).rewrite(request, signal), null);
  const calling = { kind: 'tool_call', callId: 'c', tool: 't', arguments: {}, usage } as const;
  assert.equal(await writing(calling).rewrite(request, signal), null);
  await sql`update teams set quota_credits = 0 where id = ${desk.teamId}`.execute(context.db);
  assert.equal(await writing(saying('Hi')).rewrite(request, signal), null);
  await sql`update bots set live_version = null where id = ${desk.botId}`.execute(context.db);
  assert.equal(await writing(saying('Hi')).rewrite(request, signal), null);
  assert.equal(await app.creditsUsed(desk), 0);
});
