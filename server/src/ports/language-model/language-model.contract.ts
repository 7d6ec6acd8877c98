import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FakeModels } from '../../../test/fake-models/fake-models.ts';
import { type FakeReply, fakeUsage } from '../../../test/fake-models/protocol.ts';
import { ProviderError } from '../provider-error.ts';
import type { LanguageModel, ModelRequest } from './language-model.ts';

const weather = {
  name: 'weather',
  description: 'Returns the weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city' } },
    required: ['city'],
    additionalProperties: false,
  },
};

export interface ProviderTraits {
  /** Whether the wire protocol carries arguments as text, which may be malformed. */
  textArguments: boolean;
  /** A prefix of the ids of models that reason, if the client treats them differently. */
  reasoningModel: string;
  /** The features that the wire protocol has. */
  reports: { reasoning: boolean; cached: boolean; missingUsage: boolean; refusal: boolean };
  /** Errors as this provider sends them. */
  errors: Record<'auth' | 'unknownModel' | 'quotaExhausted', NonNullable<FakeReply['error']>>;
}

/** Tests what every adapter guarantees beyond its types, with the real client against a fake service. */
export function testLanguageModel(
  provider: string,
  fakes: FakeModels,
  create: () => LanguageModel | Promise<LanguageModel>,
  traits: ProviderTraits,
): void {
  let made = 0;
  const begin = async (...replies: FakeReply[]) => beginWith(provider, replies);
  const beginWith = async (prefix: string, replies: FakeReply[]) => {
    made += 1;
    const name = `${prefix}-${made}`;
    await fakes.script(name, replies);
    const request: ModelRequest = {
      model: name,
      system: 'You are Ada.',
      messages: [{ role: 'user', text: 'Hello' }],
      tools: [],
      temperature: 0.7,
      state: null,
    };
    return { model: await create(), name, request };
  };
  const { signal } = new AbortController();
  const failsWith =
    (kind: ProviderError['kind'], retryAfter: number | null = null) =>
    (error: unknown) => {
      assert.ok(error instanceof ProviderError, String(error));
      assert.deepEqual([error.kind, error.retryAfter], [kind, retryAfter], error.message);
      return true;
    };

  test(`${provider}: returns text, usage and the reason of the end`, async () => {
    const { model, name, request } = await begin({ text: 'Good morning.' });
    const response = await model.generate(request, signal);
    assert.deepEqual(
      [response.text, response.toolCalls, response.finishReason],
      ['Good morning.', [], 'stop'],
    );
    assert.deepEqual(response.usage, {
      ...fakeUsage,
      cached: traits.reports.cached ? fakeUsage.cached : null,
      reasoning: traits.reports.reasoning ? fakeUsage.reasoning : null,
    });
    const [sent] = await fakes.requests(name);
    const text = JSON.stringify(sent?.body);
    for (const part of ['You are Ada.', 'Hello', '0.7']) assert.ok(text.includes(part), `${part} in ${text}`);
  });

  test(`${provider}: sends parallel tool calls, their results and the reasoning back`, async () => {
    const calls = ['reasoned-1', 'reasoned-2'].map((callId, index) => ({
      callId,
      tool: 'weather',
      arguments: JSON.stringify({ city: ['Bonn', 'Lima'][index] }),
    }));
    const { model, name, request } = await beginWith(traits.reasoningModel, [
      { reasoning: 'thought', text: 'One moment.', toolCalls: calls },
      { reasoning: 'thought', toolCalls: calls.slice(0, 1) },
      { text: 'Dry.' },
    ]);
    const messages = [...request.messages];
    let { state } = request;
    for (const count of [2, 1]) {
      const response = await model.generate({ ...request, tools: [weather], messages, state }, signal);
      assert.equal(response.finishReason, 'tool_calls');
      assert.deepEqual(
        response.toolCalls.map(({ tool, arguments: given }) => [tool, JSON.parse(given)]),
        [
          ['weather', { city: 'Bonn' }],
          ['weather', { city: 'Lima' }],
        ].slice(0, count),
      );
      state = JSON.parse(JSON.stringify(response.state)); // it may be stored
      messages.push(
        { role: 'assistant', text: response.text, toolCalls: response.toolCalls },
        {
          role: 'tool',
          results: response.toolCalls.map(({ callId, tool }) => ({ callId, tool, result: 'no rain' })),
        },
      );
    }
    const last = await model.generate({ ...request, tools: [weather], messages, state }, signal);
    assert.equal(last.text, 'Dry.');
    const sent = JSON.stringify((await fakes.requests(name)).at(-1)?.body);
    assert.equal(sent.split('no rain').length - 1, 3);
    assert.equal(sent.split('One moment.').length - 1, 1);
  });

  test(`${provider}: accepts tool calls of earlier answers without their state`, async () => {
    const { model, request } = await begin({ text: 'Still dry.' });
    const response = await model.generate(
      {
        ...request,
        tools: [weather],
        messages: [
          { role: 'user', text: 'Is it raining in Bonn?' },
          {
            role: 'assistant',
            text: '',
            toolCalls: [{ callId: 'c1', tool: 'weather', arguments: '{"city":"Bonn"}' }],
          },
          { role: 'tool', results: [{ callId: 'c1', tool: 'weather', result: 'no rain' }] },
          { role: 'assistant', text: 'No.', toolCalls: [] },
          { role: 'user', text: 'And now?' },
        ],
      },
      signal,
    );
    assert.equal(response.text, 'Still dry.');
  });

  test(`${provider}: sends images`, async () => {
    const { model, name, request } = await begin({ text: 'A cat.' });
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
    const messages = [
      { role: 'user' as const, text: 'What is it?', images: [{ mimeType: 'image/png', bytes }] },
    ];
    assert.equal((await model.generate({ ...request, messages }, signal)).text, 'A cat.');
    const sent = JSON.stringify((await fakes.requests(name))[0]?.body);
    assert.ok(sent.includes(Buffer.from(bytes).toString('base64')), sent);
  });

  test(`${provider}: returns malformed arguments as written`, {
    skip: traits.textArguments ? false : 'the protocol carries arguments as objects',
  }, async () => {
    const { model, request } = await begin(
      { toolCalls: [{ callId: 'c1', tool: 'weather', arguments: '{"city": "Bo' }] },
      { text: 'Sorry.' },
    );
    const response = await model.generate({ ...request, tools: [weather] }, signal);
    assert.equal(response.toolCalls[0]?.arguments, '{"city": "Bo');
    const messages = [
      ...request.messages,
      { role: 'assistant' as const, text: '', toolCalls: response.toolCalls },
      { role: 'tool' as const, results: [{ callId: 'c1', tool: 'weather', result: 'error: not JSON' }] },
    ];
    const next = await model.generate(
      { ...request, tools: [weather], messages, state: response.state },
      signal,
    );
    assert.equal(next.text, 'Sorry.');
  });

  test(`${provider}: returns an empty text`, async () => {
    const { model, request } = await begin({ text: '' });
    const empty = await model.generate(request, signal);
    assert.deepEqual([empty.text, empty.finishReason], ['', 'stop']);
  });

  test(`${provider}: reports a refusal by its finish reason`, {
    skip: traits.reports.refusal ? false : 'the protocol has no refusal',
  }, async () => {
    const { model, request } = await begin({ text: '', refused: true });
    assert.equal((await model.generate(request, signal)).finishReason, 'refused');
  });

  test(`${provider}: reports a text and a call that end at the limit of tokens`, async () => {
    const { model, request } = await begin(
      { text: 'We are', cut: true },
      { toolCalls: [{ callId: 'c1', tool: 'weather', arguments: '{}' }], cut: true },
    );
    for (const tools of [[], [weather]]) {
      const { finishReason } = await model.generate({ ...request, tools }, signal);
      assert.equal(finishReason, 'length');
    }
  });

  test(`${provider}: continues after a step without a state from its message`, async () => {
    const { model, name, request } = await begin({ text: 'It is warm.' });
    const call = { callId: 'abcdefghi', tool: 'weather', arguments: '{"city":"Rome"}' };
    const { text, state } = await model.generate(
      {
        ...request,
        tools: [weather],
        messages: [
          ...request.messages,
          { role: 'assistant', text: '', toolCalls: [call] },
          { role: 'tool', results: [{ callId: call.callId, tool: 'weather', result: '28 °C' }] },
        ],
        state: [null],
      },
      signal,
    );
    assert.deepEqual([text, state.length], ['It is warm.', 2]);
    assert.match(JSON.stringify((await fakes.requests(name))[0]?.body), /Rome.*28 °C/);
  });

  test(`${provider}: reports missing usage as null`, {
    skip: traits.reports.missingUsage ? false : 'the protocol always carries usage',
  }, async () => {
    const { model, request } = await begin({ text: 'Hi', withoutUsage: true });
    assert.equal((await model.generate(request, signal)).usage, null);
  });

  test(`${provider}: reports refused keys, unknown models and used-up budgets`, async () => {
    const { auth, unknownModel, quotaExhausted } = traits.errors;
    const { model, name, request } = await begin(
      { error: auth },
      { error: unknownModel },
      { error: quotaExhausted },
    );
    for (const kind of ['auth', 'invalid_config', 'quota_exhausted'] as const) {
      await assert.rejects(model.generate(request, signal), failsWith(kind));
    }
    assert.equal((await fakes.requests(name)).length, 3, 'each call sends one request');
  });

  test(`${provider}: reports rate limits with their time, and failures as transient`, async () => {
    const error = { status: 429, code: 'rate_limit_error', message: 'Slow down' };
    const { model, name, request } = await begin(
      { error: { ...error, retryAfter: '7' } },
      { error },
      { error: { status: 500, code: 'server_error', message: 'Broken' } },
      { error: { status: 529, code: 'overloaded_error', message: 'Overloaded' } },
      { text: 'half', fault: 'cut' },
    );
    await assert.rejects(model.generate(request, signal), failsWith('rate_limited', 7));
    await assert.rejects(model.generate(request, signal), failsWith('rate_limited'));
    for (const _ of [500, 529, 'cut']) {
      await assert.rejects(model.generate(request, signal), failsWith('transient'));
    }
    assert.equal((await fakes.requests(name)).length, 5, 'each call sends one request');
  });

  test(`${provider}: stops a hanging call when its signal aborts`, async () => {
    const { model, name, request } = await begin({ fault: 'hang' });
    const controller = new AbortController();
    const call = model.generate(request, controller.signal);
    const reason = new Error('too slow');
    const aborting = fakes.untilRequested(name).then(() => controller.abort(reason));
    await assert.rejects(call, reason);
    await aborting;
  });
}
