import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider.contract.ts';
import type { AssistantStep, ToolSpec, TurnMessage } from '../assistant-provider.ts';

const database = await connectTestDatabase();

const orderStatus: ToolSpec = {
  name: 'order_status',
  description: 'Looks up the status of an order',
  parameters: [
    { name: 'order_number', type: 'string', description: 'the number of the order', required: true },
  ],
};
const weather: ToolSpec = {
  name: 'get_weather',
  description: 'Returns the weather of a city',
  parameters: [{ name: 'city', type: 'string', description: 'Name of the city', required: true }],
};
const booking: ToolSpec = {
  name: 'bookTable',
  description: 'Reserves a table in the restaurant',
  parameters: [
    { name: 'date', type: 'string', description: 'Day of the visit', required: true },
    { name: 'guests', type: 'number', description: 'How many people come', required: true },
    { name: 'email', type: 'string', description: 'E-mail address for the confirmation', required: true },
  ],
};
const estado: ToolSpec = {
  name: 'estado_envio',
  description: 'Consulta el estado de un envío por su número de seguimiento',
  parameters: [{ name: 'numero', type: 'string', description: 'número de seguimiento', required: true }],
};

const desk = await makeAssistant(database, {
  tools: [orderStatus, weather, booking, estado],
  documents: [
    textDocument(
      'terms.txt',
      'An order can be cancelled within 24 hours by writing to the warehouse. The restaurant has forty tables.',
    ),
  ],
});

const say = (text: string): TurnMessage => ({ role: 'contact', text });

const call: TurnMessage = {
  role: 'assistant',
  text: '',
  calls: [{ callId: '1', tool: 'order_status', arguments: '{"order_number":"4711"}' }],
};
const returning = (result: string): TurnMessage => ({
  role: 'tool_results',
  results: [{ callId: '1', tool: 'order_status', result }],
});

function calls(step: AssistantStep): unknown {
  if (step.kind === 'answer') return step.text;
  const [call] = step.calls;
  return [call?.tool, JSON.parse(call?.arguments ?? '')];
}

test('calls the action that the question names, with parameters from the question', async () => {
  const expected: Record<string, unknown> = {
    'What is the status of my order 4711?': ['order_status', { order_number: '4711' }],
    'order status for AB-1234-X please': ['order_status', { order_number: 'AB-1234-X' }],
    "What's the weather like in San Sebastián?": ['get_weather', { city: 'San Sebastián' }],
    'weather, city: lisbon': ['get_weather', { city: 'lisbon' }],
    'Book a table for 4 guests on 2026-12-24, my address is ana@example.com': [
      'bookTable',
      { date: '2026-12-24', guests: 4, email: 'ana@example.com' },
    ],
    '¿Cuál es el estado del envío ES998877?': ['estado_envio', { numero: 'ES998877' }],
  };
  for (const [question, call] of Object.entries(expected)) {
    assert.deepEqual(calls(await desk.step(say(question))), call, question);
  }
});

test('calls nothing for knowledge questions', async () => {
  for (const question of [
    'Until when can an order be cancelled?',
    'How many tables does the restaurant have?',
    'How did the weather influence the harvest of 1816?',
    'What is the order of the planets?',
    'Is the weather part of the contract?',
    'What is a table?',
    'Hello',
    'Who wrote the city charter?',
  ]) {
    assert.doesNotMatch((await desk.reply(question)).text, /^Please tell me/, question);
  }
});

test('asks for a missing parameter and completes the call with the bare value', async () => {
  const question = say('What is the status of my order?');
  const asked = await desk.reply(question);
  assert.equal(asked.answered, true);
  assert.match(asked.text, /the number of the order/);
  const step = await desk.step(question, { role: 'assistant', text: asked.text }, say('4711'));
  assert.deepEqual(calls(step), ['order_status', { order_number: '4711' }]);
});

test('asks for several missing parameters one after the other', async () => {
  const talk: TurnMessage[] = [say('I would like to book a table')];
  for (const [word, reply] of [
    ['Day', 'on 24.12.2026'],
    ['people', '6'],
  ] as const) {
    const { text } = await desk.reply(...talk);
    assert.match(text, new RegExp(word));
    talk.push({ role: 'assistant', text }, say(reply));
  }
  const { text } = await desk.reply(...talk);
  assert.match(text, /E-mail/);
  const step = await desk.step(...talk, { role: 'assistant', text }, say('ana@example.com'));
  assert.deepEqual(calls(step), ['bookTable', { date: '24.12.2026', guests: 6, email: 'ana@example.com' }]);
});

test('answers another question instead of taking it as the value', async () => {
  const question = say('What is the status of my order?');
  const asked = await desk.reply(question);
  const answer = await desk.reply(
    question,
    { role: 'assistant', text: asked.text },
    'How many tables does the restaurant have?',
  );
  assert.match(answer.text, /forty tables/);
});

test('replies with the result of the action', async () => {
  const replyTo = async (result: string) =>
    (await desk.reply(say('order status 4711'), call, returning(result))).text;
  assert.equal(
    await replyTo('{"status":"shipped","deliveryDate":"2026-11-23"}'),
    'Status: shipped\nDelivery date: 2026-11-23',
  );
  assert.equal(await replyTo('{"data":{"message":"It is on its way."}}'), 'It is on its way.');
  assert.equal(
    await replyTo('[{"item":"cup","count":2},{"item":"pot","count":1}]'),
    'Item: cup, Count: 2\nItem: pot, Count: 1',
  );
  assert.equal(await replyTo('  On its way.  '), 'On its way.');
  assert.ok((await replyTo('long '.repeat(1_000))).length <= 600);
  assert.notEqual(await replyTo(''), '');
});

test('says that an action has failed', async () => {
  const answer = await desk.reply(say('order status 1'), call, returning('error: timeout'));
  assert.equal(answer.answered, false);
  assert.doesNotMatch(answer.text, /timeout/);
});

test('replies to greetings and to questions for the name', async () => {
  assert.match((await desk.reply('¡Hola!')).text, /Hola/);
  assert.match((await desk.reply('Vielen Dank!')).text, /Gern/);
  assert.match((await desk.reply('Who are you?')).text, /Ada/);
  assert.equal((await desk.reply('Hello, who was Ada Lovelace?')).answered, false);
});

test('limits the depth of a nested result', async () => {
  const deep = `${'['.repeat(30_000)}"deep"${']'.repeat(30_000)}`;
  const reply = await desk.reply(say('order status'), call, returning(deep));
  assert.equal(reply.answered, true);
});
