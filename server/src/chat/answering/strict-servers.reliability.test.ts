import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addBot } from '../../../test/bots.ts';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import type { FakeReply } from '../../../test/fake-models/protocol.ts';
import type { FakeRefusal } from '../../../test/fake-models/strict-servers.ts';
import { answerAfterFailureJob } from './answering.jobs.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const contact = '+15550199';
const hours = { questions: [{ question: 'When do you open?', answer: 'At nine.' }] };
let apps = 0;

/** Starts an app whose bots answer with a model of its own. */
async function startGenerating(settings: Record<string, string> = {}) {
  apps += 1;
  const model = `strict-${apps}`;
  const app = await startChatApp({
    environment: {
      ASSISTANT_PROVIDER: 'openai-compatible',
      MODEL_BASE_URL: `${fakes.url}/v1`,
      MODEL_LEVEL_1: model,
      ...settings,
    },
  });
  return {
    ...app,
    refuse: (...refused: FakeRefusal[]) => fakes.setRefusals(model, refused),
    script: (...replies: FakeReply[]) => fakes.script(model, replies),
    /** The bodies of the requests, oldest first. */
    requests: async () => (await fakes.requests(model)).map(({ body }) => body),
  };
}

type App = Awaited<ReturnType<typeof startGenerating>>;

const call = (tool: string, given: object): FakeReply => ({
  toolCalls: [{ callId: 'c1', tool, arguments: JSON.stringify(given) }],
});
const reply = (text: string): FakeReply => call('reply', { text, sources: [] });

/** Lets a worker answer and returns the text. */
async function answerTo(app: App, desk: ChatDevice, text: string): Promise<string> {
  const worker = app.startAnswering();
  const earlier = (await app.readChat(desk, contact)).filter(({ direction }) => direction === 'out').length;
  await app.write(desk, contact, text);
  const replies = await app.untilReplied(desk, contact, earlier + 1);
  await worker.close();
  return replies.at(-1) ?? '';
}

const fallbackOf = async (app: App, desk: ChatDevice) => {
  const { trace } = await app.context.db
    .selectFrom('answers')
    .select('trace')
    .where('device_id', '=', desk.deviceId)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  return (trace as { fallback?: { kind: string; message: string } }).fallback;
};

const badRequest = (message: string, code = 'invalid_request_error') => ({ status: 400, code, message });

test('asks once more with a shorter prompt if the context of the model is too small', async () => {
  const app = await startGenerating();
  const desk = await app.addDevice(hours);
  for (const number of [1, 2, 3, 4]) {
    await app.script(reply(`Answer ${number}.`));
    await answerTo(app, desk, `Message ${number}: ${'I wonder about bicycles. '.repeat(60)}`);
  }
  const tooLong = badRequest(
    "This model's maximum context length is 4000 tokens. However, you requested 6000 tokens.",
    'context_length_exceeded',
  );
  const before = await app.requests();
  const full = JSON.stringify(before.at(-1)).length;
  await app.refuse({ if: 'longer', than: full * 0.8, error: tooLong });
  await app.script(reply('Certainly.'));
  assert.equal(await answerTo(app, desk, 'And do you rent them out?'), 'Certainly.');
  const [first, second, ...more] = (await app.requests()).slice(before.length);
  assert.equal(more.length, 0);
  assert.ok(JSON.stringify(first).includes('Message 1:'));
  const kept = JSON.stringify(second);
  assert.ok(!kept.includes('Message 1:') && kept.includes('Answer 4.') && kept.includes('rent them out'));
  assert.equal(second.messages[0].content, first.messages[0].content);
  assert.equal(await fallbackOf(app, desk), undefined);
});

test('answers without the model at once if no prompt is short enough', async () => {
  const app = await startGenerating();
  const desk = await app.addDevice(hours);
  const before = (await app.requests()).length;
  await app.refuse({ if: 'always', error: { status: 413, code: 'too_large', message: 'Payload Too Large' } });
  const text = await answerTo(app, desk, `When do you open? ${'Hello there. '.repeat(400)}`.slice(0, 5000));
  assert.notEqual(text, '');
  assert.ok((await app.requests()).length - before <= 2);
  assert.equal((await fallbackOf(app, desk))?.kind, 'rejected');
});

test('answers without the model after one call that it rejects', async () => {
  for (const error of [
    badRequest('Invalid request body'),
    { status: 422, code: 'unprocessable', message: 'Unprocessable Entity' },
    { status: 500, code: 'server_error', message: 'Jinja Exception: unknown test' },
  ]) {
    const app = await startGenerating();
    const desk = await app.addDevice(hours);
    const before = (await app.requests()).length;
    await app.refuse({ if: 'always', error });
    assert.equal(await answerTo(app, desk, 'Hi, when do you open please?'), 'At nine.');
    assert.equal((await app.requests()).length - before, 1, error.message);
    assert.deepEqual(await fallbackOf(app, desk), { kind: 'rejected', message: error.message });
    assert.deepEqual(app.context.provider.lastingFailures(), [], 'other requests may succeed');
  }
});

test('without a fallback, a rejected message waits and is not tried again', async () => {
  const app = await startGenerating({ MODEL_FALLBACK: 'none' });
  const desk = await app.addDevice(hours);
  const before = (await app.requests()).length;
  await app.refuse({ if: 'always', error: badRequest('Invalid request body') });
  const worker = app.startAnswering();
  await app.write(desk, contact, 'Hi, when do you open please?');
  await eventually(async () => {
    const { flag, flag_reason, answer_due_at } = await app.readConversation(desk, contact);
    assert.deepEqual([flag, flag_reason, answer_due_at], ['provider_failed', 'rejected', null]);
  });
  await worker.close();
  assert.equal((await app.requests()).length - before, 1);
  const { db, clock, provider } = app.context;
  await app.refuse();
  await answerAfterFailureJob({ db, clock, provider }).run({}, new AbortController().signal);
  assert.equal((await app.readConversation(desk, contact)).answer_due_at, null);
});

const onlyTemperature1: FakeRefusal = {
  if: 'other temperature',
  than: 1,
  error: badRequest(
    "Unsupported value: 'temperature' does not support 0.3. Only the default (1) value is supported.",
  ),
};

test('publishes a bot with the only temperature that the model accepts, and adapts any other one', async () => {
  const app = await startGenerating();
  await app.refuse(onlyTemperature1);
  const before = (await app.requests()).length;
  const fitting = await app.addDevice({ ...hours, temperature: 1 });
  assert.equal((await app.requests()).length - before, 1, 'the check sends the temperature of the bot');
  await app.script(reply('We do.'));
  assert.equal(await answerTo(app, fitting, 'Do you sell locks?'), 'We do.');
  await app.addDevice({ ...hours, temperature: 0.3 });
  const { provider } = app.context;
  assert.deepEqual(
    await provider.checkModel({ modelLevel: 1, temperature: 0.3 }, new AbortController().signal),
    ['sends temperature 1 instead of 0.3'],
  );
});

test('the check at publish sends the actions of the bot', async () => {
  const app = await startGenerating();
  await app.addDevice({ actions: [{ name: 'Order status', endpoint: 'https://example.com/{{order}}' }] });
  const names = (await app.requests())
    .at(-1)
    .tools.map((tool: { function: { name: string } }) => tool.function.name);
  assert.deepEqual(names, ['Order_status', 'reply', 'cannot_answer']);
});

test('a model without tools answers for bots without actions, in plain text', async () => {
  const app = await startGenerating();
  await app.refuse({ if: 'has tools', error: badRequest('gemma:2b does not support tools') });
  const desk = await app.addDevice(hours);
  await app.script({ text: 'We rent bicycles.' });
  assert.equal(await answerTo(app, desk, 'What do you do?'), 'We rent bicycles.');
  const last = (await app.requests()).at(-1);
  assert.equal(last.tools, undefined);
  assert.doesNotMatch(last.messages[0].content, /call of reply/);
  assert.equal(await fallbackOf(app, desk), undefined);
  assert.deepEqual(await app.context.provider.checkModel({ modelLevel: 1 }, new AbortController().signal), [
    'sends no tools, so bots cannot call actions',
  ]);
  const { id } = await addBot(app, desk.teamId, {
    actions: [{ name: 'Order status', endpoint: 'https://example.com/{{order}}' }],
  });
  const { status, body } = await app.api('POST', `/bots/${id}/publish`);
  assert.deepEqual([status, body.details.reason], [400, 'provider_misconfigured']);
  assert.match(JSON.stringify(body), /does not support tools/);
  assert.deepEqual(app.context.provider.lastingFailures(), []);
});
