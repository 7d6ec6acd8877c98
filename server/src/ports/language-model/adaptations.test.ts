import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import type { FakeRefusal } from '../../../test/fake-models/strict-servers.ts';
import { ProviderError } from '../provider-error.ts';
import { createAiSdkModel } from './ai-sdk.ts';
import type { ModelRequest } from './language-model.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const { signal } = new AbortController();
let models = 0;

/** A model whose server refuses these requests. */
async function startModel(...refused: FakeRefusal[]) {
  models += 1;
  const name = `adapted-${models}`;
  await fakes.setRefusals(name, refused);
  const model = await createAiSdkModel({
    provider: 'openai-compatible',
    apiKey: null,
    baseUrl: `${fakes.url}/v1`,
  });
  return {
    describe: () => model.describeAdaptations?.(name),
    /** Returns the text and the number of requests. */
    async generate(changes: Partial<ModelRequest> = {}) {
      const before = (await fakes.requests(name)).length;
      const { text } = await model.generate({ ...conversation, model: name, ...changes }, signal);
      return [text, (await fakes.requests(name)).length - before];
    },
    lastBody: async () => (await fakes.requests(name)).at(-1)?.body,
  };
}

const weather = {
  name: 'weather',
  description: 'Returns the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
};
const calls = ['Bonn', 'Lima'].map((city) => ({
  callId: `call_of_${city}`,
  tool: 'weather',
  arguments: JSON.stringify({ city }),
}));

/** With several messages of one role in a row and two calls in one step. */
const conversation: ModelRequest = {
  model: '',
  system: 'You are Ada.',
  messages: [
    { role: 'user', text: 'Hello' },
    { role: 'user', text: 'Is it raining in Bonn and Lima?' },
    { role: 'assistant', text: '', toolCalls: calls },
    { role: 'tool', results: calls.map(({ callId, tool }) => ({ callId, tool, result: 'no rain' })) },
    { role: 'assistant', text: 'No.', toolCalls: [] },
    { role: 'assistant', text: 'Neither here.', toolCalls: [] },
    { role: 'user', text: 'And now?' },
    { role: 'user', text: 'Well?' },
  ],
  tools: [weather],
  temperature: 0.7,
  state: null,
};

const refuse = (
  condition: FakeRefusal['if'],
  message: string,
  more: Partial<FakeRefusal> = {},
  status = 400,
): FakeRefusal => ({
  if: condition,
  error: { status, code: 'invalid_request_error', message },
  ...more,
});

test('writes messages that the strictest chat template renders', async () => {
  const { generate, lastBody, describe } = await startModel(
    refuse('no alternation', 'Conversation roles must alternate user/assistant/user/assistant/...'),
    refuse('null content', "can only concatenate str (not 'NoneType') to str"),
    refuse('has member', 'Unrecognized request argument supplied: tool_choice', { than: 'tool_choice' }),
    refuse('has member', 'parallel_tool_calls is not supported', { than: 'parallel_tool_calls' }),
    refuse('has member', "Use 'max_completion_tokens' instead of max_tokens", { than: 'max_tokens' }),
    refuse('has member', 'response_format is not supported', { than: 'response_format' }),
  );
  assert.deepEqual(await generate(), ['Fine.', 1]);
  const { messages } = await lastBody();
  assert.deepEqual(
    messages.map(({ role, content }: { role: string; content: string }) => [role, content]),
    [
      ['system', 'You are Ada.'],
      ['user', 'Hello\nIs it raining in Bonn and Lima?'],
      ['assistant', ''],
      ['tool', 'no rain'],
      ['tool', 'no rain'],
      ['assistant', 'No.\nNeither here.'],
      ['user', 'And now?\nWell?'],
    ],
  );
  assert.deepEqual(describe(), []);
});

test('learns once what a server refuses, and repeats the request in another form', async () => {
  for (const [refusal, description] of [
    ...[
      "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
      "litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0.7. Only temperature=1 is supported.",
      'invalid temperature: only 1 is allowed for this model',
      '`temperature` may only be set to 1 when thinking is enabled.',
      'temperature is wrong',
    ].map(
      (message) =>
        [refuse('other temperature', message, { than: 1 }), 'sends temperature 1 instead of 0.7'] as const,
    ),
    ...[
      "Unsupported parameter: 'temperature' is not supported with this model.",
      "openai does not support parameters: ['temperature'], for model=o1-mini",
      '1 validation error: body.temperature Extra inputs are not permitted',
    ].map(
      (message) =>
        [refuse('has member', message, { than: 'temperature' }), 'leaves out temperature 0.7'] as const,
    ),
    [
      refuse('several calls', 'This model only supports single tool-calls at once!'),
      'splits steps with several calls into steps with one call',
    ],
    [
      refuse(
        'several calls',
        'Jinja Exception: This model only supports single tool-calls at once!',
        {},
        500,
      ),
      'splits steps with several calls into steps with one call',
    ],
    [
      refuse('other call ids', 'Tool call IDs should be alphanumeric strings with length 9!'),
      'gives calls ids of nine characters',
    ],
    [
      refuse('system message', 'System role not supported'),
      'puts the system message into the first message of the user',
    ],
    [
      refuse('system message', 'Developer instruction is not enabled for models/gemma-3-27b-it'),
      'puts the system message into the first message of the user',
    ],
    [
      refuse(
        'tool messages',
        'Only user and assistant roles are supported, with the exception of an initial system message',
      ),
      'writes calls and their results as text',
    ],
    [
      refuse('tool messages', 'Conversation roles must alternate user/assistant/user/assistant/...', {}, 500),
      'writes calls and their results as text',
    ],
    [refuse('empty content', 'messages.2: text content blocks must be non-empty'), 'sends no empty texts'],
    [
      refuse('lacks member', 'max_tokens: Field required', { than: 'max_tokens' }, 422),
      'sends max_tokens 4096',
    ],
    [
      refuse('lacks member', "Missing required parameter: 'max_completion_tokens'", {
        than: 'max_completion_tokens',
      }),
      'sends max_completion_tokens 4096',
    ],
    [
      refuse('has member', 'Unknown name "additionalProperties" at tools[0].function.parameters', {
        than: 'additionalProperties',
      }),
      'leaves out additionalProperties',
    ],
  ] as const) {
    const { generate, describe } = await startModel(refusal);
    const [text, requests] = await generate();
    assert.equal(text, 'Fine.', refusal.error.message);
    assert.ok(Number(requests) <= 3, refusal.error.message);
    assert.deepEqual(await generate(), ['Fine.', 1], refusal.error.message);
    assert.deepEqual(describe(), [description], refusal.error.message);
  }
});

test('keeps a temperature that the server accepts', async () => {
  const { generate, describe, lastBody } = await startModel(
    refuse('hotter', 'temperature must be less than or equal to 1', { than: 1 }),
  );
  assert.deepEqual(await generate({ temperature: 1.5 }), ['Fine.', 2]);
  assert.deepEqual(await generate({ temperature: 0.3 }), ['Fine.', 1]);
  assert.equal((await lastBody()).temperature, 0.3);
  assert.deepEqual(describe(), ['leaves out temperature 1.5']);
});

test('learns several refusals of one request', async () => {
  const { generate } = await startModel(
    refuse('other temperature', 'Only the default (1) value is supported: temperature', { than: 1 }),
    refuse('several calls', 'only supports single tool-calls at once'),
    refuse('system message', 'System role not supported'),
  );
  assert.deepEqual(await generate(), ['Fine.', 4]);
  assert.deepEqual(await generate(), ['Fine.', 1]);
});

test('forgets what did not help', async () => {
  const { generate, describe } = await startModel(
    refuse('always', 'temperature and system role not supported'),
  );
  await assert.rejects(generate(), (error) => error instanceof ProviderError && error.kind === 'rejected');
  assert.deepEqual(describe(), []);
});

test('reports a model that accepts no tools, whatever its server says', async () => {
  for (const [status, message] of [
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
    [400, "Unsupported parameter: 'tools' is not supported with this model."],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [500, 'tools param requires --jinja flag'],
    [404, 'No endpoints found that support tool use. Try disabling "weather".'],
    [400, '`tool calling` is not supported with this model'],
    [400, "litellm.UnsupportedParamsError: ollama does not support parameters: ['tools'], for model=gemma"],
    [400, 'Function calling is not enabled for models/gemma-3-27b-it'],
    [400, 'Unrecognized request argument supplied: tools'],
    [400, "This model doesn't support tool use."],
  ] as const) {
    const { generate } = await startModel(refuse('has tools', message, {}, status));
    await assert.rejects(
      generate(),
      (error) => error instanceof ProviderError && error.kind === 'rejected' && error.refusesTools,
      message,
    );
    assert.equal((await generate({ tools: [] }))[0], 'Fine.');
  }
});
