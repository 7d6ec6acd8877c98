import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProviderError } from '../provider-error.ts';
import { createGuardedModel, type ModelOutcome } from './guarded-model.ts';
import type { ModelRequest, ModelResponse } from './language-model.ts';

const request: ModelRequest = {
  model: 'small',
  system: '',
  messages: [{ role: 'user', text: 'Hello' }],
  tools: [],
  temperature: 0,
  state: null,
};
const response: ModelResponse = {
  text: 'Fine.',
  toolCalls: [],
  usage: null,
  finishReason: 'stop',
  state: [],
};
const { signal } = new AbortController();
const inSeconds = (seconds: number) => performance.now() + seconds * 1000;

/** A guarded model whose calls `generate` answers. */
function guard(
  generate: (request: ModelRequest, signal: AbortSignal) => Promise<ModelResponse>,
  limits: { timeoutMs?: number; concurrency?: number } = {},
) {
  const outcomes: ModelOutcome[] = [];
  const model = createGuardedModel({
    model: { name: 'test', generate },
    timeoutMs: 10_000,
    concurrency: 16,
    onModelCall: ({ outcome }) => outcomes.push(outcome),
    ...limits,
  });
  return { model, outcomes };
}

/** Fails with these errors first, then succeeds. */
function failing(...errors: ProviderError[]) {
  return async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return response;
  };
}

test('repeats passing failures', async () => {
  const { model, outcomes } = guard(
    failing(
      new ProviderError('transient', 'away'),
      new ProviderError('rate_limited', 'slow', { retryAfter: 0 }),
    ),
  );
  const generated = await model.generate(request, { teamId: 'a', deadline: inSeconds(60), signal });
  assert.equal(generated.text, 'Fine.');
  assert.deepEqual(outcomes, ['transient', 'rate_limited', 'ok']);
});

test('does not wait beyond the deadline', async () => {
  const { model, outcomes } = guard(failing(new ProviderError('rate_limited', 'slow', { retryAfter: 3600 })));
  await assert.rejects(model.generate(request, { teamId: 'a', deadline: inSeconds(60), signal }), {
    kind: 'rate_limited',
  });
  assert.deepEqual(outcomes, ['rate_limited']);
});

test('repeats no failure that only the operator can mend, and reports it', async () => {
  const { model, outcomes } = guard(failing(new ProviderError('auth', 'wrong key')));
  const options = { teamId: 'a', deadline: inSeconds(60), signal };
  for (const _ of ['call', 'breaker'])
    await assert.rejects(model.generate(request, options), { kind: 'auth' });
  assert.deepEqual(outcomes, ['auth', 'auth']);
  assert.partialDeepStrictEqual(model.lastingFailures(), [{ kind: 'auth', message: 'wrong key' }]);
});

test('ends a call that takes too long', async () => {
  const { model, outcomes } = guard(() => new Promise(() => {}), { timeoutMs: 10 });
  await assert.rejects(model.generate(request, { teamId: 'a', deadline: inSeconds(0.1), signal }), {
    kind: 'transient',
    message: 'The language model did not respond in time',
  });
  assert.ok(outcomes.length >= 1);
});

test('ends a call at the deadline, also one that waits for its turn', async () => {
  const { model } = guard(() => new Promise(() => {}), { concurrency: 1 });
  const options = { teamId: 'a', deadline: performance.now() - 1, signal };
  const startedAt = performance.now();
  const [running, waiting] = await Promise.allSettled([
    model.generate(request, options),
    model.generate(request, { ...options, teamId: 'b' }),
  ]);
  assert.deepEqual([running.status, waiting.status], ['rejected', 'rejected']);
  assert.ok(performance.now() - startedAt < 9_000);
});

test('calls the model for the teams in turn', async () => {
  const gates: PromiseWithResolvers<ModelResponse>[] = [];
  const served: string[] = [];
  const { model } = guard(
    ({ system }) => {
      served.push(system);
      const gate = Promise.withResolvers<ModelResponse>();
      gates.push(gate);
      return gate.promise;
    },
    { concurrency: 1 },
  );
  const call = (teamId: string) =>
    model.generate({ ...request, system: teamId }, { teamId, deadline: inSeconds(60), signal });
  const calls = [call('busy'), call('busy'), call('busy'), call('other')];
  for (const call of calls.keys()) {
    while (gates[call] === undefined) await new Promise(setImmediate);
    gates[call].resolve(response);
  }
  await Promise.all(calls);
  assert.deepEqual(served, ['busy', 'other', 'busy', 'busy']);
});
