import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../../../test/fake-models/fake-models.ts';
import type { FakeReply } from '../../../../test/fake-models/protocol.ts';
import { chatNotation } from '../../../platform/notation/notation.ts';
import { createAiSdkModel } from '../../../ports/language-model/ai-sdk.ts';
import type { AssistantSpec } from '../assistant-provider.ts';
import { createLocalTimeFormat } from './model-prompt.ts';
import { createStepRequest, type GroundedTurn, readStep } from './model-step.ts';
import { readModelText } from './model-text.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const model = await createAiSdkModel({
  provider: 'openai-compatible',
  apiKey: null,
  baseUrl: `${fakes.url}/v1`,
});

const spec: AssistantSpec = {
  name: 'Desk',
  identificationName: 'Ada',
  instructions: 'Be kind.',
  temperature: 0.2,
  modelLevel: 1,
  questions: [],
  tools: [
    {
      name: 'order_status',
      description: 'Returns the status of an order.',
      parameters: [{ name: 'number', type: 'number', description: 'Number of the order', required: true }],
    },
  ],
  knowledge: { storeRef: '', documentRefs: [] },
};

const turn = (changes: Partial<GroundedTurn> = {}): GroundedTurn => ({
  spec,
  context: {
    locale: 'de-DE',
    timeZone: 'Europe/Berlin',
    now: new Date('2026-11-22T19:15:00Z'),
    allowHuman: false,
  },
  knowledge: [{ id: 'q1', question: 'When do you open?', answer: 'At "nine".' }],
  messages: [{ role: 'user', data: { message: 'When do you open?' } }],
  state: null,
  ...changes,
});

let made = 0;
async function run(reply: FakeReply, changes: Partial<GroundedTurn> = {}) {
  made += 1;
  const name = `model-${made}`;
  await fakes.script(name, [reply]);
  const grounded = turn(changes);
  const written = await model.generate(
    createStepRequest(name, grounded, createLocalTimeFormat()),
    new AbortController().signal,
  );
  const knowledgeIds = new Set(grounded.knowledge.map(({ id }) => id));
  const step = readStep(written, knowledgeIds, (text) =>
    readModelText(text, {
      tools: new Set(['order_status', 'reply', 'cannot_answer', 'hand_over']),
      knowledgeIds,
      botName: spec.identificationName,
      notation: chatNotation,
      quotable: [],
      isCut: written.finishReason === 'length',
    }),
  );
  return { step, request: (await fakes.requests(name))[0]?.body };
}

const calling = (tool: string, given: object): FakeReply => ({
  toolCalls: [{ callId: 'c1', tool, arguments: JSON.stringify(given) }],
});

test('sends instructions as the system prompt and everything else as data', async () => {
  const { request } = await run({ text: 'At nine.' });
  const [system, message] = request.messages;
  assert.ok(system.content.includes('Ada') && system.content.includes('Be kind.'));
  assert.ok(!system.content.includes('nine'));
  assert.deepEqual(JSON.parse(message.content), {
    context: {
      local_time: 'Sunday 2026-11-22 20:15',
      locale: 'de-DE',
      knowledge: [{ id: 'q1', question: 'When do you open?', answer: 'At "nine".' }],
    },
    message: 'When do you open?',
  });
  const tools = request.tools.map((tool: { function: { name: string } }) => tool.function.name);
  assert.deepEqual(tools, ['order_status', 'reply', 'cannot_answer']);
});

test('offers a person only if the contact may ask for one', async () => {
  const { context } = turn();
  const { step, request } = await run(calling('hand_over', { text: 'A colleague will write.' }), {
    context: { ...context, allowHuman: true },
  });
  assert.equal(request.tools.at(-1).function.name, 'hand_over');
  assert.deepEqual([step.kind, step.kind === 'answer' && step.handsOver], ['answer', true]);
});

test('reads the answer, its sources and whether it is one from the tools', async () => {
  const { step } = await run(calling('reply', { text: ' At nine. ', sources: ['q1', 'q1', 'made-up', 3] }));
  assert.partialDeepStrictEqual(step, { kind: 'answer', text: 'At nine.', answered: true, sources: ['q1'] });
  const { step: unknown } = await run(calling('cannot_answer', { text: 'I do not know.' }));
  assert.partialDeepStrictEqual(unknown, { kind: 'answer', answered: false, sources: [] });
  const { step: plain } = await run({ text: 'I am not sure, but at nine.' });
  assert.partialDeepStrictEqual(plain, { kind: 'answer', answered: null, sources: [] });
});

test('returns calls of actions, and no answer that was given beside them', async () => {
  const { step } = await run({
    text: 'One moment.',
    toolCalls: [
      { callId: 'c1', tool: 'order_status', arguments: '{"number":7}' },
      { callId: 'c2', tool: 'reply', arguments: '{"text":"It is on its way.","sources":[]}' },
    ],
  });
  assert.equal(step.kind, 'tool_calls');
  assert.deepEqual(step.kind === 'tool_calls' && step.calls.map(({ callId }) => callId), ['c1']);
});

test('rejects refusals and empty answers', async () => {
  await assert.rejects(run({ text: '', refused: true }), { kind: 'refused' });
  await assert.rejects(run({ text: ' ' }), { kind: 'transient' });
});

test('drops the oldest messages of a long history', async () => {
  const messages = [
    { role: 'user' as const, data: { message: 'x'.repeat(20_000) } },
    { role: 'assistant' as const, text: 'y'.repeat(20_000), toolCalls: [] },
    { role: 'user' as const, data: { message: 'And today?' } },
  ];
  const { request } = await run({ text: 'At nine.' }, { messages });
  assert.equal(request.messages.length, 2);
  assert.equal(JSON.parse(request.messages[1].content).message, 'And today?');
});
