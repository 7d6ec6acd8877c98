import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantStep, AssistantTurn } from '../adapters/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../bots/bot-actions.ts';
import type { LoadedBot } from '../bots/bot-loader.ts';
import { createFaultPoint } from '../shared/fault-points.ts';
import { generateAnswer } from './answer.ts';
import type { ActionResult, CallAction } from './call-action.ts';

const action: BotAction = {
  id: 'a',
  name: 'Look up',
  description: '',
  endpoint: 'https://example.com/',
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
  tools: new Map([['look_up', action]]),
};

const usage = { inputTokens: 10, outputTokens: 1 };
const calling = (tool: string, given: Record<string, string> = {}): AssistantStep => ({
  kind: 'tool_call',
  callId: 'c',
  tool,
  arguments: given,
  usage,
});
const saying = (text: string): AssistantStep => ({
  kind: 'answer',
  text,
  answered: true,
  sources: [],
  usage,
});

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
const faultPoint = createFaultPoint(null);
const messages = [{ role: 'contact' as const, text: 'Hello' }];
const working: CallAction = async () => ({ status: 200, result: '{"ok":true}', error: null });

test('the model runs the published version and sees the results of its actions', async () => {
  const { provider, turns } = scripted([calling('look_up', { id: '7' }), saying('It is there.')]);
  const answer = await generateAnswer({
    provider,
    bot,
    messages,
    callAction: working,
    idempotencySeed: 'm1',
    signal,
    faultPoint,
  });
  assert.deepEqual([answer.text, answer.answered], ['It is there.', true]);
  assert.deepEqual(answer.usage, { inputTokens: 20, outputTokens: 2 });
  assert.deepEqual(
    answer.actions.map(({ ms, ...call }) => call),
    [{ name: 'Look up', arguments: { id: '7' }, status: 200, error: null }],
  );
  assert.equal(turns[0]?.revision, 'r1');
  assert.deepEqual(turns[0]?.withdrawnDocumentRefs, ['gone']);
  assert.deepEqual(turns[1]?.messages, [
    ...messages,
    { role: 'tool_call', callId: 'c', tool: 'look_up', arguments: { id: '7' } },
    { role: 'tool_result', callId: 'c', result: '{"ok":true}' },
  ]);
});

test('the model sees failed and unknown actions, and the answer continues', async () => {
  const failed: ActionResult = { status: 500, result: 'error: status 500', error: 'status 500' };
  const { provider, turns } = scripted([calling('look_up'), calling('nothing'), saying('Sorry.')]);
  const callAction = async () => failed;
  const answer = await generateAnswer({
    provider,
    bot,
    messages,
    callAction,
    idempotencySeed: 'm1',
    signal,
    faultPoint,
  });
  assert.equal(answer.text, 'Sorry.');
  assert.deepEqual(
    answer.actions.map(({ name, error }) => [name, error]),
    [
      ['Look up', 'status 500'],
      ['nothing', 'there is no such action'],
    ],
  );
  assert.deepEqual(turns[2]?.messages.at(-1), {
    role: 'tool_result',
    callId: 'c',
    result: 'error: there is no such action',
  });
});

test('ends without an answer after eight steps', async () => {
  const { provider, turns } = scripted([]);
  const answer = await generateAnswer({
    provider,
    bot,
    messages,
    callAction: working,
    idempotencySeed: 'm1',
    signal,
    faultPoint,
  });
  assert.deepEqual([answer.text, answer.answered, turns.length], [null, false, 8]);
});

test('the same call with the same seed has the same Idempotency-Key, any other a different one', async () => {
  const keysOf = async (occasion: string, given: Record<string, string>) => {
    const keys: string[] = [];
    const callAction: CallAction = async (_, __, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return { status: 200, result: '', error: null };
    };
    const { provider } = scripted([calling('look_up', given), calling('look_up', given), saying('.')]);
    await generateAnswer({
      provider,
      bot,
      messages,
      callAction,
      idempotencySeed: occasion,
      signal,
      faultPoint,
    });
    return keys;
  };
  const first = await keysOf('m1', { a: '1', b: '2' });
  assert.deepEqual(await keysOf('m1', { b: '2', a: '1' }), first);
  const all = [...first, ...(await keysOf('m2', { a: '1', b: '2' })), ...(await keysOf('m1', { a: '2' }))];
  assert.equal(new Set(all).size, 6);
});

test('removes characters from the answer that PostgreSQL cannot store', async () => {
  const { provider } = scripted([saying('a\0b\ud800c')]);
  const answer = await generateAnswer({
    provider,
    bot,
    messages,
    callAction: working,
    idempotencySeed: 'm1',
    signal,
    faultPoint,
  });
  assert.equal(answer.text, 'ab\ufffdc');
});
