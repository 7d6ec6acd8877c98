import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calling, saying, tokens, turnContext } from '../../../test/steps.ts';
import {
  type AssistantStep,
  type AssistantTurn,
  unknownOutcome,
} from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { generateAnswer } from './answer.ts';
import { type ActionResult, type CallAction, createActionCaller } from './call-action.ts';
import { noToolCallLog } from './tool-call-log.ts';
import { createTrace } from './trace.ts';

const action: BotAction = {
  id: 'a',
  name: 'Look up',
  description: '',
  endpoint: 'https://example.com/{{id}}',
  method: 'POST',
  headers: [],
  body: [],
};

const bot: LoadedBot = {
  botId: 'b',
  teamId: 't',
  version: 1,
  assistantRef: 'asst',
  revision: 'r1',
  withdrawnDocumentRefs: ['gone'],
  documents: new Map(),
  name: 'Desk',
  identificationName: '',
  instructions: '',
  temperature: 0.7,
  chatModelLevel: 1,
  allowHuman: false,
  breakLines: false,
  useAudioResponses: false,
  allowUserAudioRequests: false,
  capturePayments: false,
  purpose: null,
  disclosure: null,
  answerMaxAgeMinutes: 720,
  tools: new Map([['look_up', action]]),
};

/** A provider that returns these steps and records its requests. */
function scripted(steps: AssistantStep[]) {
  const turns: AssistantTurn[] = [];
  const step = async (turn: AssistantTurn) => {
    turns.push({ ...turn, messages: [...turn.messages] });
    return steps[turns.length - 1] ?? calling('look_up');
  };
  return { provider: { step }, turns };
}

const signal = new AbortController().signal;
const messages = [{ role: 'contact' as const, text: 'Hello' }];
const working: CallAction = async () => ({ status: 200, result: '{"ok":true}', error: null });

type Options = Parameters<typeof generateAnswer>[0];

/** Answers with `bot`, whose actions work, unless the options say otherwise. */
const answerWith = (options: Pick<Options, 'provider'> & Partial<Options>) =>
  generateAnswer({
    bot,
    context: turnContext,
    messages,
    callAction: working,
    toolCalls: noToolCallLog,
    chat: null,
    idempotencySeed: 'm1',
    signal,
    ...options,
  });

test('the model runs the published version and sees the results of its actions', async () => {
  const { provider, turns } = scripted([
    calling('look_up', { id: '7' }, { text: 'One moment.', usage: tokens(10, 1), state: ['s'] }),
    saying('It is there.', { usage: tokens(20, 2) }),
  ]);
  const answer = await answerWith({ provider });
  assert.deepEqual([answer.text, answer.answered], ['It is there.', true]);
  assert.deepEqual(answer.usage, [...tokens(10, 1), ...tokens(20, 2)]);
  assert.deepEqual(
    answer.actions.map(({ ms, ...call }) => call),
    [{ name: 'Look up', arguments: { id: '7' }, status: 200, error: null }],
  );
  assert.equal(turns[0]?.revision, 'r1');
  assert.deepEqual(turns[0]?.withdrawnDocumentRefs, ['gone']);
  assert.deepEqual(turns[1]?.messages, [
    ...messages,
    {
      role: 'assistant',
      text: 'One moment.',
      calls: [{ callId: 'c', tool: 'look_up', arguments: '{"id":"7"}' }],
    },
    { role: 'tool_results', results: [{ callId: 'c', tool: 'look_up', result: '{"ok":true}' }] },
  ]);
  assert.deepEqual([turns[0]?.state, turns[1]?.state], [null, ['s']]);
});

test('the model sees failed and unknown actions, and the answer continues', async () => {
  const failed: ActionResult = { status: 500, result: 'error: status 500', error: 'status 500' };
  const { provider, turns } = scripted([
    calling('look_up', { id: '7' }),
    calling('nothing'),
    saying('Sorry.'),
  ]);
  const callAction = async () => failed;
  const answer = await answerWith({ provider, callAction });
  assert.equal(answer.text, 'Sorry.');
  assert.deepEqual(
    answer.actions.map(({ name, error }) => [name, error]),
    [
      ['Look up', 'status 500'],
      ['nothing', 'there is no such action'],
    ],
  );
  assert.deepEqual(turns[2]?.messages.at(-1), {
    role: 'tool_results',
    results: [{ callId: 'c', tool: 'nothing', result: 'error: there is no such action' }],
  });
});

const twoCalls = calling(
  'look_up',
  {},
  {
    calls: [
      { callId: 'c1', tool: 'look_up', arguments: '{"id":"1"}' },
      { callId: 'c2', tool: 'look_up', arguments: '{"id":"2"}' },
    ],
  },
);

test('makes the calls of one step in order and returns all results together', async () => {
  const { provider, turns } = scripted([twoCalls, saying('Both are there.')]);
  const given: unknown[] = [];
  const callAction: CallAction = async (_, values) => {
    given.push(values);
    return { status: 200, result: `found ${values['id']}`, error: null };
  };
  const logged: unknown[] = [];
  const toolCalls = {
    ...noToolCallLog,
    add: async (position: number, _: unknown, calls: readonly object[]) =>
      void logged.push(['add', position, calls.length, given.length]),
    finish: async (position: number) => void logged.push(['finish', position]),
  };
  const answer = await answerWith({ provider, callAction, toolCalls });
  assert.equal(answer.text, 'Both are there.');
  assert.deepEqual(given, [{ id: '1' }, { id: '2' }]);
  assert.deepEqual(logged, [
    ['add', 0, 2, 0],
    ['finish', 0],
    ['finish', 1],
  ]);
  assert.deepEqual(turns[1]?.messages.at(-1), {
    role: 'tool_results',
    results: [
      { callId: 'c1', tool: 'look_up', result: 'found 1' },
      { callId: 'c2', tool: 'look_up', result: 'found 2' },
    ],
  });
});

test('returns arguments that do not fit the action to the model and calls nothing', async () => {
  for (const [written, fault] of [
    ['{"id": "7', 'the arguments are not JSON'],
    ['{"id": 7', 'the arguments are not JSON'],
    ['[]', 'the value must be an object'],
    ['7', 'the value must be an object'],
    ['[{"id":"7"},{"id":"8"}]', 'the value must be an object'],
    ['{"id":["7"]}', 'id must be a string'],
    ['{"id":null}', 'id is required'],
    ['', 'id is required'],
    ['{"idd":7}', 'id is required; idd is not a known field (did you mean id?)'],
  ] as const) {
    const bad = calling('look_up', {}, { calls: [{ callId: 'c', tool: 'look_up', arguments: written }] });
    const { provider, turns } = scripted([bad, saying('Sorry.')]);
    const answer = await answerWith({ provider, callAction: () => assert.fail('called') });
    assert.deepEqual(turns[1]?.messages.at(-1), {
      role: 'tool_results',
      results: [{ callId: 'c', tool: 'look_up', result: `error: the call was not made: ${fault}` }],
    });
    assert.deepEqual(answer.actions[0]?.arguments, {});
  }
});

test('corrects the notation and the types of arguments, as long as only one reading fits', async () => {
  const typed: BotAction = {
    ...action,
    endpoint: 'https://example.com/{{id}}?note={{note}}',
    body: [
      { key: 'seats', value: '', type: 'number' },
      { key: 'window', value: '', type: 'boolean' },
    ],
    parameters: ['note', 'seats', 'window'].map((name) => ({ name, description: '', required: false })),
  };
  for (const [written, given] of [
    ['{"id":4711}', { id: '4711' }],
    ['{"id":12345678901234567890}', { id: '12345678901234567890' }],
    ['{"id":1.10,"note":true}', { id: '1.10', note: 'true' }],
    ['{"id":"7","seats":"2","window":"True"}', { id: '7', seats: 2, window: true }],
    ['{"id":"7","seats":-1.5,"window":false}', { id: '7', seats: -1.5, window: false }],
    ['{"id":"7","seats":null,"window":null,"note":null}', { id: '7' }],
    ['{"id":"7","seats":"","note":""}', { id: '7', note: '' }],
    ['{"id":"7","host":"x"}', { id: '7' }],
    ['[{"id":"7"}]', { id: '7' }],
    [JSON.stringify('{"id":7,"seats":"2"}'), { id: '7', seats: 2 }],
    ['```json\n{"id":"7"}\n```', { id: '7' }],
    ['{"id":"7","note":"one\ntwo"}', { id: '7', note: 'one\ntwo' }],
  ] as const) {
    const call = calling('look_up', {}, { calls: [{ callId: 'c', tool: 'look_up', arguments: written }] });
    const { provider } = scripted([call, saying('Done.')]);
    const tools = new Map([['look_up', typed]]);
    const { actions } = await answerWith({ provider, bot: { ...bot, tools } });
    assert.deepEqual([actions[0]?.arguments, actions[0]?.error], [given, null], written);
  }
  for (const [written, fault] of [
    ['{"id":"7","seats":"two"}', 'seats must be a number'],
    ['{"id":"7","seats":"1,5"}', 'seats must be a number'],
    ['{"id":"7","seats":"12345678901234567890"}', 'seats must be a number'],
    ['{"id":"7","window":"yes"}', 'window must be true or false'],
  ] as const) {
    const call = calling('look_up', {}, { calls: [{ callId: 'c', tool: 'look_up', arguments: written }] });
    const { provider } = scripted([call, saying('Sorry.')]);
    const tools = new Map([['look_up', typed]]);
    const callAction = () => assert.fail('called');
    const { actions } = await answerWith({ provider, bot: { ...bot, tools }, callAction });
    assert.equal(actions[0]?.error, `the call was not made: ${fault}`);
  }
});

test('the model and the trace see a refused path segment, and nothing is called', async () => {
  const { provider, turns } = scripted([calling('look_up', { folder: '.' }), saying('Sorry.')]);
  const answer = await answerWith({
    provider,
    bot: {
      ...bot,
      tools: new Map([
        ['look_up', { ...action, method: 'DELETE', endpoint: 'https://example.com/folders/{{folder}}' }],
      ]),
    },
    callAction: createActionCaller({ outbound: { call: () => assert.fail('called') } }),
  });
  const error = 'an argument in the path of the URL must not be empty or only dots, or contain / or \\';
  assert.deepEqual(createTrace(answer, bot).actions[0]?.error, error);
  assert.deepEqual(turns[1]?.messages.at(-1), {
    role: 'tool_results',
    results: [{ callId: 'c', tool: 'look_up', result: `error: ${error}` }],
  });
});

/** Calls `look_up` for another order in each step. */
const lookUp = (id: number | string) => calling('look_up', { id: String(id) });

/** Works, and records the values of each call. */
function counting() {
  const given: unknown[] = [];
  const callAction: CallAction = async (_, values) => {
    given.push(values['id']);
    return { status: 200, result: `found ${values['id']}`, error: null };
  };
  return { given, callAction };
}

const resultsOf = (turn: AssistantTurn | undefined): string[] => {
  const last = turn?.messages.at(-1);
  return last?.role === 'tool_results' ? last.results.map(({ result }) => result) : [];
};

test('ends without an answer after eight steps, and the last step must be an answer', async () => {
  const { provider, turns } = scripted([1, 2, 3, 4, 5, 6, 7, 8].map(lookUp));
  const { given, callAction } = counting();
  const answer = await answerWith({ provider, callAction });
  assert.deepEqual([answer.text, answer.answered, turns.length, given.length], [null, false, 8, 7]);
  assert.deepEqual(
    turns.map(({ mustAnswer }) => mustAnswer),
    [...Array.from({ length: 7 }, () => false), true],
  );
});

test('returns the stored result of a call that the answer already made, however it is written', async () => {
  const again = (written: string) =>
    calling('look_up', {}, { calls: [{ callId: 'c', tool: 'look_up', arguments: written }] });
  const { provider, turns } = scripted([
    again('{"id":"7"}'),
    again('{"id":7}'),
    again('{"id":"8"}'),
    again('"{\\"id\\":\\"7\\"}"'),
    saying('Done.'),
  ]);
  const { given, callAction } = counting();
  const finished: unknown[] = [];
  const toolCalls = {
    ...noToolCallLog,
    finish: async (position: number, action: string | null) => void finished.push([position, action]),
  };
  const answer = await answerWith({ provider, callAction, toolCalls });
  assert.deepEqual([answer.text, given], ['Done.', ['7', '8']]);
  assert.deepEqual(turns.slice(1).map(resultsOf), [['found 7'], ['found 7'], ['found 8'], ['found 7']]);
  assert.deepEqual(
    answer.actions.map(({ arguments: { id } }) => id),
    ['7', '8'],
  );
  assert.deepEqual(
    answer.calls.map(({ result }) => result),
    ['found 7', 'found 8'],
  );
  assert.deepEqual(finished, [
    [0, 'Look up'],
    [1, null],
    [2, 'Look up'],
    [3, null],
  ]);
});

test('does not repeat a failed call or an unknown outcome either', async () => {
  for (const failed of [
    { status: 500, result: 'error: status 500', error: 'status 500' },
    { status: null, result: unknownOutcome, error: 'did not respond within 10 s' },
  ]) {
    let calls = 0;
    const callAction: CallAction = async () => {
      calls += 1;
      return failed;
    };
    const { provider, turns } = scripted([lookUp(7), lookUp(7), saying('Sorry.')]);
    await answerWith({ provider, callAction });
    assert.deepEqual([calls, resultsOf(turns[2])], [1, [failed.result]]);
  }
});

test('a model that only repeats calls must answer after two such steps', async () => {
  const { given, callAction } = counting();
  const { provider, turns } = scripted([lookUp(7), lookUp(7), lookUp(7), saying('It is there.')]);
  assert.equal((await answerWith({ provider, callAction })).text, 'It is there.');
  assert.deepEqual(
    turns.map(({ mustAnswer }) => mustAnswer),
    [false, false, false, true],
  );
  const endless = scripted(Array.from({ length: 8 }, () => lookUp(8)));
  assert.equal((await answerWith({ provider: endless.provider, callAction })).text, null);
  assert.deepEqual([given, endless.turns.length], [['7', '8'], 4]);
  const faulty = scripted(Array.from({ length: 8 }, () => calling('nothing', { id: 1 })));
  await answerWith({ provider: faulty.provider, callAction });
  assert.equal(faulty.turns.length, 4);
});

test('makes at most 8 calls per step and 16 per answer, and the others get a result that says so', async () => {
  const many = (from: number, count: number) =>
    calling(
      'look_up',
      {},
      {
        calls: Array.from({ length: count }, (_, index) => ({
          callId: `c${from + index}`,
          tool: 'look_up',
          arguments: `{"id":"${from + index}"}`,
        })),
      },
    );
  const { given, callAction } = counting();
  const { provider, turns } = scripted([many(0, 400), many(400, 5), many(500, 5), saying('Enough.')]);
  const added: number[] = [];
  const toolCalls = {
    ...noToolCallLog,
    add: async (_: number, __: unknown, calls: readonly object[]) => void added.push(calls.length),
  };
  const answer = await answerWith({ provider, callAction, toolCalls });
  assert.equal(answer.text, 'Enough.');
  assert.deepEqual([given.length, answer.actions.length, added], [16, 16, [8, 5, 3]]);
  const tooMany = 'error: not called: an answer may make 16 calls, and a step 8';
  assert.deepEqual(resultsOf(turns[1]), [
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((id) => `found ${id}`),
    ...Array.from({ length: 392 }, () => tooMany),
  ]);
  assert.deepEqual(resultsOf(turns[3]), ['found 500', 'found 501', 'found 502', tooMany, tooMany]);
  const sent = turns[1]?.messages.at(-2);
  assert.ok(sent?.role === 'assistant');
  assert.equal(sent.calls?.length, 400);
  assert.deepEqual(
    turns.map(({ mustAnswer }) => mustAnswer),
    [false, false, false, true],
  );
});

test('the same call with the same seed has the same Idempotency-Key, any other a different one', async () => {
  const endpoint = 'https://example.com/{{a}}/{{b}}';
  const withParameters = { ...bot, tools: new Map([['look_up', { ...action, endpoint }]]) };
  const keyOf = async (occasion: string, given: Record<string, string>) => {
    const keys: string[] = [];
    const callAction: CallAction = async (_, __, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return { status: 200, result: '', error: null };
    };
    const { provider } = scripted([calling('look_up', given), saying('.')]);
    await answerWith({ provider, bot: withParameters, callAction, idempotencySeed: occasion });
    assert.equal(keys.length, 1);
    return keys[0];
  };
  const first = await keyOf('m1', { a: '1', b: '2' });
  assert.equal(await keyOf('m1', { b: '2', a: '1' }), first);
  const others = [await keyOf('m2', { a: '1', b: '2' }), await keyOf('m1', { a: '2', b: '1' })];
  assert.equal(new Set([first, ...others]).size, 3);
});

test('removes characters from the answer that PostgreSQL cannot store', async () => {
  const { provider } = scripted([saying('a\0b\ud800c')]);
  const answer = await answerWith({ provider });
  assert.equal(answer.text, 'ab\ufffdc');
});
