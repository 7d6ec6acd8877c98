import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { after, test } from 'node:test';
import { startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { openTestContext } from '../../../test/harness.ts';
import { makeTurn } from '../../../test/steps.ts';

let threads = 0;
subscribe('worker_threads', () => {
  threads += 1;
});

const api = await startChatApp({ environment: { ROLES: 'api', SIMULATOR_URL: 'http://127.0.0.1:1' } });
const worker = await openTestContext(api.context.databaseUrl, {
  environment: { ROLES: 'worker', SIMULATOR_URL: 'http://127.0.0.1:1' },
});
after(() => worker.close());

const questions = [
  { question: 'When will I get my refund?', answer: 'Within five days.' },
  { question: 'What are your opening hours?', answer: 'From nine to six.' },
];

test('an api process loads no sentence encoder for a saved and published bot, and a worker encodes its pairs', async () => {
  const { botId } = await api.addDevice({ questions });
  const added = [...questions, { question: 'Do you repair bells?', answer: 'Yes.' }];
  const saved = await api.api('PATCH', `/bots/${botId}`, { body: { questions: added } });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  assert.equal((await api.api('POST', `/bots/${botId}/publish`)).status, 200);
  assert.equal(threads, 0);

  const bot = await api.bots.load(botId);
  assert.ok(bot);
  const asked = { role: 'contact' as const, text: 'When do I receive my money back?' };
  const turn = makeTurn({ ref: bot.assistantRef, revision: bot.revision }, [asked]);
  await worker.provider.step(turn, new AbortController().signal);
  await eventually(async () => assert.equal(threads, 1));
});
