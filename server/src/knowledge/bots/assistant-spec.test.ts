import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAssistantSpec, nameTools } from './assistant-spec.ts';
import type { BotAction } from './bot-actions.ts';

const action = (members: Partial<BotAction>): BotAction => ({
  id: '01890000-0000-7000-8000-000000000001',
  name: 'Order status',
  description: '',
  endpoint: 'https://example.com/',
  method: 'GET',
  headers: [],
  body: [],
  ...members,
});

const bot = {
  name: 'Desk',
  identification_name: '',
  instructions: 'Be brief.',
  temperature: 0.2,
  chat_model_level: 2,
  vector_id: 'vs_1',
};

const toolOf = (members: Partial<BotAction>) => {
  const [tool] = createAssistantSpec(
    { bot, questions: [], documents: [] },
    nameTools([action(members)]),
  ).tools;
  return tool ?? assert.fail('expected a tool');
};

test('derives distinct tool names from the action names', () => {
  const names = ['Order status', 'Order status', 'order status', 'Consultar preço!', '订单', '订单', '__x__'];
  assert.deepEqual(
    nameTools(names.map((name) => action({ name }))).map(({ tool }) => tool),
    ['Order_status', 'Order_status_2', 'order_status', 'Consultar_preco', 'action_5', 'action_6', 'x'],
  );
});

test('begins each tool name with a letter or an underscore, because Google refuses others', () => {
  const names = ['24h status', '-offers', '9'.repeat(70)];
  assert.deepEqual(
    nameTools(names.map((name) => action({ name }))).map(({ tool }) => tool),
    ['_24h_status', '_-offers', `_${'9'.repeat(63)}`],
  );
});

test('renames an action that has the name of a tool of Parley', () => {
  const names = ['reply', 'Reply', 'hand over', 'cannot_answer'];
  assert.deepEqual(
    nameTools(names.map((name) => action({ name }))).map(({ tool }) => tool),
    ['reply_2', 'Reply', 'hand_over_2', 'cannot_answer_2'],
  );
});

test('derives unique, well-formed tool names from any action names', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a', 'a_2', 'x'.repeat(99), '1'.repeat(99), 'action_3', 'reply'),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 50 }), (names) => {
      const tools = nameTools(names.map((each) => action({ name: each }))).map(({ tool }) => tool);
      assert.equal(new Set(tools).size, names.length);
      for (const tool of tools) assert.match(tool, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    }),
  );
});

test('makes one parameter per placeholder and per body item without a value', () => {
  const { parameters } = toolOf({
    endpoint: 'https://example.com/{{order_id}}?again={{ order_id }}',
    headers: [{ key: 'X-Contact', value: 'for {{contact}}' }],
    body: [
      { key: 'amount', value: '', type: 'number' },
      { key: 'urgent', value: '{{is urgent}}', type: 'boolean' },
      { key: 'note', value: 'from {{contact}} about {{amount}}', type: 'string' },
      { key: 'fixed', value: 'as {written}', type: 'string' },
    ],
  });
  assert.deepEqual(
    parameters.map(({ name, type }) => [name, type]),
    [
      ['amount', 'number'],
      ['is urgent', 'boolean'],
      ['order_id', 'string'],
      ['contact', 'string'],
    ],
  );
});

test('describes a tool with the name and description of its action', () => {
  assert.equal(toolOf({ description: 'Looks an order up' }).description, 'Order status: Looks an order up');
  assert.equal(toolOf({ name: '订单' }).description, '订单');
});

test('fills the assistant from the draft, under the identification name', () => {
  const spec = createAssistantSpec(
    { bot, questions: [{ question: 'q', answer: 'a' }], documents: [{ ref: 'file_1' }, { ref: 'file_2' }] },
    [],
  );
  assert.deepEqual(spec, {
    name: 'Desk',
    identificationName: 'Desk',
    instructions: 'Be brief.',
    temperature: 0.2,
    modelLevel: 2,
    questions: [{ question: 'q', answer: 'a' }],
    tools: [],
    knowledge: { storeRef: 'vs_1', documentRefs: ['file_1', 'file_2'] },
  });
  const named = { ...bot, identification_name: 'Ada' };
  assert.equal(
    createAssistantSpec({ bot: named, questions: [], documents: [] }, []).identificationName,
    'Ada',
  );
});
