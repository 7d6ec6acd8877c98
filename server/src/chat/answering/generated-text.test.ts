import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addBot, addTeam } from '../../../test/bots.ts';
import { startChatApp, startTestService } from '../../../test/chats.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import type { FakeReply } from '../../../test/fake-models/protocol.ts';
import { createRewrite } from './rewrite.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const model = 'writer';
const app = await startChatApp({
  environment: {
    ASSISTANT_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: model,
  },
});
const contact = '+15550199';
const { signal } = new AbortController();
const service = await startTestService((_, response) => response.end('{"status":"shipped"}'));
const actions = [{ name: 'order status', endpoint: `${service.url}/orders/{{order_number}}` }];
const bot = await addBot(app, await addTeam(app.context), { identification_name: 'Ada', actions });

const call = (tool: string, given: object): FakeReply => ({
  toolCalls: [{ callId: 'c1', tool, arguments: JSON.stringify(given) }],
});

async function ask(...replies: (FakeReply | string)[]) {
  await fakes.script(
    model,
    replies.map((reply) => (typeof reply === 'string' ? { text: reply } : reply)),
  );
  const { status, body } = await app.api('POST', `/bots/${bot.id}/ask`, {
    body: { question: 'Where are you, and where is my order 4711?', version: 'draft' },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const answer = 'We are at Quay Street 7.';

const written: [id: string, text: FakeReply | string, expected: string][] = [
  ['think1', `<think>\nI should be brief.\n</think>\n\n${answer}`, answer],
  ['think2', `I should be brief.\n</think>\n\n${answer}`, answer],
  ['think4', `<think>\n\n</think>\n\n${answer}`, answer],
  ['think5', `<thinking>hidden plan</thinking>${answer}`, answer],
  [
    'think6',
    `<|channel|>analysis<|message|>User wants address<|end|><|start|>assistant<|channel|>final<|message|>${answer}`,
    answer,
  ],
  ['think7', `${answer}<|im_end|>`, answer],
  ['think8', call('reply', { text: `<think>plan</think>${answer}`, sources: [] }), answer],
  ['json1', '{"text":"We open at 9.","sources":["p1"]}', 'We open at 9.'],
  ['json1, other members', '{"answer":"We open at 9","confidence":0.9}', 'We open at 9'],
  ['json2', 'We open at 9 [p1].', 'We open at 9.'],
  ['json2, in words', 'We open at 9 (source: p1).', 'We open at 9.'],
  ['prefix1', `Assistant: ${answer}`, answer],
  ['prefix1, the name of the bot', `Ada: ${answer}`, answer],
  [
    'tool4',
    '{"name": "reply", "arguments": {"text": "It is on its way.", "sources": []}}',
    'It is on its way.',
  ],
  [
    'tool5',
    '<tool_call>\n{"name": "reply", "arguments": {"text": "It is on its way.", "sources": []}}\n</tool_call>',
    'It is on its way.',
  ],
  ['md1', '**Opening hours**: 9 to 17', '*Opening hours*: 9 to 17'],
  ['md2', 'We ***never*** close', 'We _*never*_ close'],
  ['md3', '## Services\nRepairs and rentals', '*Services*\nRepairs and rentals'],
  [
    'md4',
    'See [our site](https://shop.example/a_b_c) for more',
    'See our site (https://shop.example/a_b_c) for more',
  ],
  ['md5', '| Item | Price |\n|---|---|\n| Helmet | 10 |', '*Item – Price*\nHelmet – 10'],
  ['md6', 'Old price ~~50~~ 40', 'Old price ~50~ 40'],
  ['md7', 'First\n\n---\n\nSecond', 'First\n\nSecond'],
  ['md8', '![map](https://shop.example/map.png)', 'map (https://shop.example/map.png)'],
  ['md9', '```json\n{"a":1}\n```', '```\n{"a":1}\n```'],
  ['arithmetic', '2*3*4 = 24, snake_case, 5 < 6', '2*3*4 = 24, snake_case, 5 < 6'],
];

for (const [id, text, expected] of written)
  test(`asks a model that writes as in ${id} and gets the part for the contact`, async () => {
    assert.equal((await ask(text)).answer, expected);
  });

test('repeats a call of the model that wrote nothing for the contact', async () => {
  for (const nothing of [
    '<think>\nThe user asks for the address and',
    '\u200b\u200b',
    '---',
    '{"name":"search","arguments":{"q":"x"}}',
  ])
    assert.equal((await ask(nothing, answer)).answer, answer, nothing);
});

const verdicts: [verdict: FakeReply, answered: boolean][] = [
  [{ text: 'UNKNOWN' }, false],
  [{ text: '<think>Is it answered or unknown?</think> Answered.' }, true],
  [{ text: 'I cannot tell.' }, false],
  [{ error: { status: 400, code: 'context_length_exceeded', message: 'too long' } }, false],
];

test('asks the model once whether a reply without the tool that ends it is an answer', async () => {
  const asked = `${model}/answered`;
  const text = 'Unfortunately that is not in our documents.';
  for (const [verdict, answered] of verdicts) {
    await fakes.script(asked, [verdict]);
    const before = (await fakes.requests(asked)).length;
    const given = await ask(text);
    assert.deepEqual([given.answer, given.answered], [text, answered], JSON.stringify(verdict));
    const [sent, ...others] = (await fakes.requests(asked)).slice(before);
    assert.deepEqual(others, []);
    assert.match(sent?.body.messages[1].content, /order 4711.*not in our documents/);
  }
});

test('does not ask about a reply that a tool ends', async () => {
  const before = (await fakes.requests(`${model}/answered`)).length;
  assert.equal((await ask(call('reply', { text: answer, sources: [] }))).answered, true);
  assert.equal((await ask(call('cannot_answer', { text: 'I do not know.' }))).answered, false);
  assert.equal((await fakes.requests(`${model}/answered`)).length, before);
});

test('makes a call that the model wrote as text, and sends its result like that of another call', async () => {
  const written = '```json\n{"name":"order_status","arguments":{"order_number":"4711"}}\n```';
  const { answer: text, trace } = await ask(written, 'It is shipped.');
  assert.equal(text, 'It is shipped.');
  assert.deepEqual(trace.actions[0].arguments, { order_number: '4711' });
  const [, , , result] = (await fakes.requests(model)).at(-1)?.body.messages ?? [];
  assert.deepEqual([result.role, result.content], ['tool', '{"status":"shipped"}']);
});

test('shortens an answer that the model could not finish, and says so in the trace', async () => {
  const half = await ask({ text: `${answer} To return the bike you must first bring it to the`, cut: true });
  assert.deepEqual([half.answer, half.trace.shortened], [answer, true]);
  const cut1 = await ask({ text: 'To return the bike you must first bring it to the', cut: true });
  assert.deepEqual(
    [cut1.answer, cut1.trace.shortened],
    ['To return the bike you must first bring it to …', true],
  );
  const unfinished = { callId: 'c1', tool: 'reply', arguments: `{"text":"${answer} To return the` };
  const called = await ask({ toolCalls: [unfinished], cut: true });
  assert.deepEqual([called.answer, called.trace.shortened], [answer, true]);
  assert.equal((await ask(answer)).trace.shortened, undefined);
});

test('sends the answer as the network writes it, in messages that keep blocks of code whole', async () => {
  const desk = await app.addDevice({ break_lines: true });
  const worker = app.startAnswering();
  await fakes.script(model, [{ text: '**Do this:**\n\n```sh\nfirst\n\nsecond\n```\n\nDone.' }]);
  await app.write(desk, contact, 'How?');
  assert.deepEqual(await app.untilReplied(desk, contact, 3), [
    '*Do this:*',
    '```\nfirst\n\nsecond\n```',
    'Done.',
  ]);
  await worker.close();
});

test('rewrites a message without the reasoning and the marks of the model', async () => {
  const desk = await app.addDevice();
  await fakes.script(model, [{ text: '<think>plan the greeting</think>**Hi** Ana, your bike is ready.' }]);
  const rewrite = createRewrite({ ...app.context, bots: app.bots });
  const rewritten = await rewrite?.({ ...desk, contactNumber: contact, text: 'Bike ready' }, signal);
  assert.equal(rewritten, '*Hi* Ana, your bike is ready.');
  // Without its end, the text would lack facts.
  await fakes.script(model, [{ text: 'Your bike is ready. It', cut: true }]);
  const cut = rewrite?.({ ...desk, contactNumber: contact, text: 'Bike ready' }, signal);
  await assert.rejects(cut ?? Promise.resolve(), { kind: 'transient' });
});
