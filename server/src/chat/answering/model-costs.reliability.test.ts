import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp, startTestService } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { fakeUsage } from '../../../test/fake-models/protocol.ts';
import { calling, saying } from '../../../test/steps.ts';
import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { toMonth } from '../../platform/shared/clock.ts';
import type { ModelUsage } from '../../ports/language-model/language-model.ts';
import type { StepUsage } from '../../ports/provider-error.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { createModelCallRecorder } from '../../tenancy/usage/model-calls.ts';
import { createRewrite } from './rewrite.ts';

const asking: { step?: AssistantProvider['step'] } = {};
const app = await startChatApp({
  environment: { MODEL_PRICES: 'small=0.15/0.6/0.075, large=2/10' },
  provider: (real) => ({ ...real, step: (turn, signal) => (asking.step ?? real.step)(turn, signal) }),
});
const { api, context, bots } = app;
const { db, clock } = context;

const contact = '+15550199';
const spent = (tokens: Partial<ModelUsage> | null, model = 'small'): StepUsage => ({
  provider: 'test',
  model,
  tokens: tokens === null ? null : { input: null, cached: null, output: null, reasoning: null, ...tokens },
});
const some = { input: 1000, cached: 400, output: 100, reasoning: 20 };
/** (600 × 0.15 + 400 × 0.075 + 100 × 0.6) / 1,000,000 */
const costOfSome = 0.00018;

async function readUsage({ teamId }: Pick<ChatDevice, 'teamId'>) {
  const { status, body } = await api('GET', `/teams/${teamId}/usage`);
  assert.equal(status, 200);
  return body.data.ai;
}

async function readCalls({ teamId }: Pick<ChatDevice, 'teamId'>) {
  const { rows } = await sql<{
    purpose: string;
    answer_id: string | null;
    model: string;
    cost: number | null;
  }>`
    select purpose, answer_id, model, cost::float8 as cost from model_calls where team_id = ${teamId} order by id`.execute(
    db,
  );
  return rows;
}

/** Waits for one answer of a worker with these steps. */
async function answer(desk: ChatDevice, step: AssistantProvider['step']): Promise<void> {
  const worker = app.startAnswering({ provider: { step } });
  await app.write(desk, contact, 'Hello?');
  await app.untilReplied(desk, contact);
  await worker.close();
}

test('reports the tokens and the cost of an answer by model and in total', async () => {
  const desk = await app.addDevice();
  const usage = [spent({ input: 10, output: 2 }, 'large'), spent(some), spent(some)];
  await answer(desk, async () => saying('At nine.', { usage }));
  const small = { calls: 2, calls_without_tokens: 0, calls_without_cost: 0 };
  assert.deepEqual(await readUsage(desk), {
    ...small,
    calls: 3,
    input_tokens: 2010,
    cached_tokens: 800,
    output_tokens: 202,
    reasoning_tokens: 40,
    cost: 0.0004,
    by_model: [
      {
        provider: 'test',
        model: 'large',
        ...small,
        calls: 1,
        input_tokens: 10,
        cached_tokens: null,
        output_tokens: 2,
        reasoning_tokens: null,
        cost: 0.00004,
      },
      {
        provider: 'test',
        model: 'small',
        ...small,
        input_tokens: 2000,
        cached_tokens: 800,
        output_tokens: 200,
        reasoning_tokens: 40,
        cost: 2 * costOfSome,
      },
    ],
  });
  const { rows } = await sql<{ id: string }>`select id from answers where team_id = ${desk.teamId}`.execute(
    db,
  );
  const [written] = rows;
  assert.deepEqual(await readCalls(desk), [
    { purpose: 'answer', answer_id: written?.id, model: 'large', cost: 0.00004 },
    { purpose: 'answer', answer_id: written?.id, model: 'small', cost: costOfSome },
    { purpose: 'answer', answer_id: written?.id, model: 'small', cost: costOfSome },
  ]);
});

test('reports unknown tokens and costs as null and counts them', async () => {
  const desk = await app.addDevice();
  await answer(desk, async () => saying('At nine.', { usage: [spent(null)] }));
  const unknown = { input_tokens: null, cached_tokens: null, output_tokens: null, reasoning_tokens: null };
  const before = { calls: 1, calls_without_tokens: 1, calls_without_cost: 1, ...unknown, cost: null };
  assert.deepEqual(await readUsage(desk), {
    ...before,
    by_model: [{ provider: 'test', model: 'small', ...before }],
  });
  const priceless = [spent({ ...some, input: 5 }, 'unlisted'), spent({ input: 10, output: 0 })];
  asking.step = async () => saying('At nine.', { usage: priceless });
  assert.equal((await api('POST', `/bots/${desk.botId}/ask`, { body: { question: 'When?' } })).status, 200);
  delete asking.step;
  const after = await readUsage(desk);
  assert.deepEqual([after.calls, after.calls_without_tokens, after.calls_without_cost], [3, 1, 2]);
  assert.deepEqual([after.input_tokens, after.cached_tokens, after.output_tokens], [15, 400, 100]);
  assert.equal(after.cost, 0.0000015);
  assert.deepEqual(
    after.by_model.map(({ model, cost, cached_tokens }: Record<string, unknown>) => [
      model,
      cost,
      cached_tokens,
    ]),
    [
      ['small', 0.0000015, null],
      ['unlisted', null, 400],
    ],
  );
});

test('writes an answer whose provider reports impossible numbers, as unknown', async () => {
  const desk = await app.addDevice();
  const usage = [spent({ input: 1.5, cached: -1, output: Number.NaN, reasoning: 1e18 })];
  await answer(desk, async () => saying('At nine.', { usage }));
  const { calls, calls_without_tokens, input_tokens, reasoning_tokens } = await readUsage(desk);
  assert.deepEqual([calls, calls_without_tokens, input_tokens, reasoning_tokens], [1, 1, null, null]);
});

test('counts each model call of a retried answer once', async () => {
  const service = await startTestService((_, response) => response.end('{"message":"On its way."}'));
  const action = { name: 'Status', description: 'Status of an order', endpoint: `${service.url}/orders` };
  const desk = await app.addDevice({ actions: [action] });
  let steps = 0;
  await answer(desk, async ({ messages }) => {
    steps += 1;
    if (steps === 2) throw new ProviderError('transient', 'away');
    if (messages.at(-1)?.role === 'tool_results')
      return saying('On its way.', { usage: [spent(some, 'large')] });
    return calling('status', {}, { usage: [spent(some)] });
  });
  assert.equal(steps, 3);
  assert.deepEqual(
    (await readCalls(desk)).map(({ model }) => model),
    ['small', 'large'],
  );
  assert.equal((await readUsage(desk)).calls, 2);
});

test('an answer is not written without its costs', async () => {
  const desk = await app.addDevice();
  let attempts = 0;
  const recordModelCalls: typeof context.recordModelCalls = async (...call) => {
    attempts += 1;
    await context.recordModelCalls(...call);
    // The batch, then the answer alone.
    if (attempts <= 2) throw new Error('the database is away');
  };
  const step = async () => saying('At nine.', { usage: [spent(some)] });
  const worker = app.startAnswering({ provider: { step }, recordModelCalls });
  await app.write(desk, contact, 'Hello?');
  await app.untilReplied(desk, contact);
  await worker.close();
  assert.equal(attempts, 3);
  assert.equal((await readCalls(desk)).length, 1);
  assert.equal((await readUsage(desk)).calls, 1);
  assert.equal(await app.creditsUsed(desk), 1);
});

test('a worker that lost its claim records no costs', async () => {
  const desk = await app.addDevice();
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow = async () => {
    asked.resolve();
    await gate.promise;
    return saying('too late', { usage: [spent(some, 'large')] });
  };
  const first = app.startAnswering({ provider: { step: slow }, concurrency: 1, leaseSeconds: 600 });
  await app.write(desk, contact, 'Hello?');
  await asked.promise;
  await sql`update conversations set claimed_until = now() - interval '1 second' where device_id = ${desk.deviceId}`.execute(
    db,
  );
  const second = app.startAnswering({
    provider: { step: async () => saying('in time', { usage: [spent(some)] }) },
  });
  await app.untilReplied(desk, contact);
  gate.resolve();
  await Promise.all([first.close(), second.close()]);
  assert.deepEqual(
    (await readCalls(desk)).map(({ model }) => model),
    ['small'],
  );
  assert.equal((await readUsage(desk)).calls, 1);
});

test('adds up answers that end together exactly', async () => {
  const desks = [await app.addDevice(), await app.addDevice()];
  const contacts = Array.from({ length: 8 }, (_, n) => `+1555020200${n}`);
  const step = async () => saying('At nine.', { usage: [spent(some, 'large'), spent(some)] });
  const worker = app.startAnswering({ provider: { step } });
  for (const desk of desks) for (const number of contacts) await app.write(desk, number, 'Hello?');
  for (const desk of desks) for (const number of contacts) await app.untilReplied(desk, number);
  await worker.close();
  for (const desk of desks) {
    const { calls, input_tokens, by_model } = await readUsage(desk);
    assert.deepEqual([calls, input_tokens, by_model.length], [16, 16_000, 2]);
  }
});

test('records the calls of a question over the API, also if the credits were used up meanwhile', async () => {
  const desk = await app.addDevice();
  const ask = () => api('POST', `/bots/${desk.botId}/ask`, { body: { question: 'When do you open?' } });
  asking.step = async () => saying('At nine.', { usage: [spent(some)] });
  assert.equal((await ask()).status, 200);
  asking.step = async () => {
    await sql`update teams set quota_credits = 1 where id = ${desk.teamId}`.execute(db);
    return saying('At nine.', { usage: [spent(some)] });
  };
  assert.equal((await ask()).body.details?.reason, 'quota_exceeded');
  delete asking.step;
  const call = { purpose: 'question', answer_id: null, model: 'small', cost: costOfSome };
  assert.deepEqual(await readCalls(desk), [call, call]);
  assert.equal((await readUsage(desk)).cost, 2 * costOfSome);
  assert.equal(await app.creditsUsed(desk), 1);
});

test('records the call of a rewrite', async () => {
  const desk = await app.addDevice();
  const provider = { generatesText: true, rewrite: async () => ({ text: 'Hi, Ana!', usage: [spent(some)] }) };
  const rewrite = createRewrite({ ...context, bots, provider });
  const request = { ...desk, contactNumber: contact, text: 'Hi' };
  assert.equal(await rewrite?.(request, new AbortController().signal), 'Hi, Ana!');
  const calls = await readCalls(desk);
  assert.deepEqual(calls, [{ purpose: 'rewrite', answer_id: null, model: 'small', cost: costOfSome }]);
});

test('records the call of a refused answer, and those of a failed attempt', async () => {
  const fakes = await startFakeModels();
  after(() => fakes.stop());
  const environment = (model: string) => ({
    ASSISTANT_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: model,
    MODEL_FALLBACK: 'none',
    MODEL_PRICES: `${model}=2/10/1`,
  });
  const cost = (60 * 2 + 40 * 1 + 20 * 10) / 1e6;
  const refusing = await startChatApp({ environment: environment('refusing') });
  const desk = await refusing.addDevice();
  await fakes.script('refusing', [{ text: '', refused: true }]);
  const worker = refusing.startAnswering();
  await refusing.write(desk, contact, 'Hello?');
  await refusing.untilReplied(desk, contact);
  await worker.close();
  const { body } = await refusing.api('GET', `/teams/${desk.teamId}/usage`);
  assert.deepEqual([body.data.ai.calls, body.data.ai.cost], [1, cost]);
  // The publishing of the bot made a call, too.
  const metrics = await (await fetch(`${refusing.baseUrl}/metrics`)).text();
  const labels = 'provider="openai-compatible",model="refusing"';
  assert.ok(metrics.includes(`parley_model_calls_total{${labels},outcome="ok"} 2\n`), metrics);
  assert.ok(metrics.includes(`parley_model_tokens_total{${labels},kind="input"} ${2 * fakeUsage.input}\n`));

  const silent = await startChatApp({ environment: environment('silent') });
  const quiet = await silent.addDevice();
  await fakes.script('silent', [{ text: ' ' }, { text: ' ' }]);
  const failing = silent.startAnswering();
  await silent.write(quiet, contact, 'Hello?');
  await eventually(async () => {
    const { body: failed } = await silent.api('GET', `/teams/${quiet.teamId}/usage`);
    assert.deepEqual([failed.data.ai.calls, failed.data.ai.cost], [2, 2 * cost]);
  });
  await failing.close();
});

test('reports only the calls of this month', async () => {
  const desk = await app.addDevice();
  const calls = [{ teamId: desk.teamId, purpose: 'question' as const, answerId: null, usage: [spent(some)] }];
  const lastMonth = new Date(clock.now());
  lastMonth.setUTCDate(0);
  await context.recordModelCalls(db, calls, toMonth(lastMonth));
  assert.equal((await readUsage(desk)).calls, 0);
});

test('skips calls of a team that was deleted meanwhile', async () => {
  const desk = await app.addDevice();
  const call = (teamId: string) => ({
    teamId,
    purpose: 'question' as const,
    answerId: null,
    usage: [spent(some)],
  });
  const gone = crypto.randomUUID();
  await context.recordModelCalls(db, [call(gone), call(desk.teamId)], toMonth(clock.now()));
  assert.deepEqual([(await readCalls({ teamId: gone })).length, (await readCalls(desk)).length], [0, 1]);
});

test('the costs of a month disappear with their team', async () => {
  const desk = await app.addDevice();
  const calls = [{ teamId: desk.teamId, purpose: 'question' as const, answerId: null, usage: [spent(some)] }];
  await context.recordModelCalls(db, calls, toMonth(clock.now()));
  await sql`delete from teams where id = ${desk.teamId}`.execute(db);
  const { rows } = await sql`select from monthly_model_usage where team_id = ${desk.teamId}`.execute(db);
  assert.equal(rows.length, 0);
});

test('answers of the embedded provider run no statement for costs', async () => {
  const desk = await app.addDevice({ questions: [{ question: 'When do you open?', answer: 'At nine.' }] });
  const used: number[] = [];
  const unreachable = new Proxy(db, { get: () => assert.fail('it used the database') });
  const record = createModelCallRecorder(new Map());
  const worker = app.startAnswering({
    async recordModelCalls(_, calls, month) {
      used.push(calls.flatMap(({ usage }) => usage).length);
      await record(unreachable, calls, month);
    },
  });
  await app.write(desk, contact, 'When do you open?');
  assert.deepEqual(await app.untilReplied(desk, contact), ['At nine.']);
  await worker.close();
  assert.deepEqual(used, [0]);
  assert.equal((await readUsage(desk)).calls, 0);
});
