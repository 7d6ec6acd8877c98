import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp, startTestService } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { saying } from '../../../test/steps.ts';
import type { AssistantStep } from '../../knowledge/assistant-provider/assistant-provider.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createActionCaller } from './call-action.ts';

const app = await startChatApp();

/** Answers `hello` and hangs on every other text until the answer is aborted. */
const step = (
  { messages }: { messages: readonly { role: string }[] },
  signal: AbortSignal,
): Promise<AssistantStep> => {
  const last = messages.at(-1);
  if (last !== undefined && 'text' in last && last.text === 'hello') return Promise.resolve(saying('hi'));
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
};

const writeFrom = (desk: ChatDevice, count: number, text: string) =>
  Promise.all(Array.from({ length: count }, (_, n) => app.write(desk, `+155504${100 + n}`, text)));

const contact = '+15550199';

const never = 2 ** 30;

// Before the tests that leave due conversations, which would take the slot.
for (const limits of [{ concurrency: 1 }, { concurrencyPerTeam: 1 }])
  test(`the end of an answer starts the next one at once, with ${JSON.stringify(limits)}`, async () => {
    const desk = await app.addDevice();
    await writeFrom(desk, 3, 'hello');
    const answering = app.startAnswering({ provider: { step }, pollMs: never, ...limits });
    for (const n of [0, 1, 2]) await app.untilReplied(desk, `+155504${100 + n}`);
    await answering.close();
  });

test('a team whose answers hang leaves slots to other teams', async () => {
  const [hostile, honest] = [await app.addDevice(), await app.addDevice()];
  await writeFrom(hostile, 20, 'hang');
  const answering = app.startAnswering({ provider: { step }, concurrency: 4, concurrencyPerTeam: 3 });
  for (let round = 1; round <= 3; round += 1) {
    await app.write(honest, contact, 'hello');
    await app.untilReplied(honest, contact, round);
  }
  await answering.close();
});

test('actions that hang in many teams occupy no slots', async () => {
  const service = await startTestService(() => undefined);
  const action = { name: 'Look up an order', endpoint: `${service.url}/orders`, method: 'GET' };
  const hostile = await Promise.all(Array.from({ length: 4 }, () => app.addDevice({ actions: [action] })));
  const honest = await app.addDevice({ questions: [{ question: 'When do you open?', answer: 'At nine.' }] });
  for (const desk of hostile) await writeFrom(desk, 4, 'Look up an order');
  const answering = app.startAnswering({ concurrency: 2, concurrencyPerTeam: 2 });
  await eventually(async () => assert.equal(service.requests.length, 8));
  await app.write(honest, contact, 'When do you open?');
  await app.untilReplied(honest, contact);
  assert.equal(service.requests.length, 8, 'no action had to time out first');
  await answering.close();
});

test('an endpoint that times out is not called for a while, and the trace records it', async () => {
  const service = await startTestService(() => undefined);
  const outbound = createOutbound({ allowedHosts: ['127.0.0.1'] });
  let calls = 0;
  const callAction = createActionCaller({
    outbound: {
      call(request, limits) {
        if (request.url.startsWith(service.url)) calls += 1;
        return outbound.call(request, { ...limits, timeoutMs: 50 });
      },
    },
  });
  const desk = await app.addDevice({
    actions: [{ name: 'Look up an order', endpoint: `${service.url}/orders`, method: 'GET' }],
  });
  const answering = app.startAnswering({ callAction });
  for (let round = 1; round <= 6; round += 1) {
    await app.write(desk, contact, 'Look up an order');
    await app.untilReplied(desk, contact, round);
  }
  await answering.close();
  assert.equal(calls, 5);
  const { rows } = await sql<{ actions: { name: string; status: number | null; error: string }[] }>`
    select trace->'actions' as actions from answers where device_id = ${desk.deviceId}
    order by created_at desc limit 1`.execute(app.context.db);
  const [called] = rows[0]?.actions ?? [];
  assert.partialDeepStrictEqual(called, {
    name: 'Look up an order',
    status: null,
    error: 'not called: the endpoint timed out 5 times in a row',
  });
});

test('one team prepares twice as many answers as the model takes calls', async () => {
  const desk = await app.addDevice();
  await writeFrom(desk, 41, 'wait');
  let waiting = 0;
  const answering = app.startAnswering({
    modelConcurrency: 20,
    provider: {
      step(turn, signal) {
        if (turn.messages.some((message) => 'text' in message && message.text === 'wait')) waiting += 1;
        return step(turn, signal);
      },
    },
  });
  await eventually(async () => assert.equal(waiting, 40));
  await answering.close();
  assert.equal(waiting, 40);
});

test('an answer that waited for a worker leaves the model less time, but not none, and a retry all of it', async () => {
  const desk = await app.addDevice();
  const left: number[] = [];
  for (const [overdueMs, attempts] of [
    [10_000, 0],
    [600_000, 0],
    [600_000, 1],
  ] as const) {
    await app.write(desk, contact, 'hello');
    await app.context.db
      .updateTable('conversations')
      .set({ answer_due_at: new Date(Date.now() - overdueMs), attempts })
      .where('device_id', '=', desk.deviceId)
      .execute();
    const answering = app.startAnswering({
      modelDeadlineMs: 30_000,
      provider: {
        step(turn, signal) {
          const last = turn.messages.at(-1);
          if (last !== undefined && 'text' in last && last.text === 'hello')
            left.push(turn.context.deadline - performance.now());
          return step(turn, signal);
        },
      },
    });
    await app.untilReplied(desk, contact, left.length + 1);
    await answering.close();
  }
  assert.deepEqual(
    left.map((ms) => Math.ceil(ms / 10_000)),
    [2, 1, 3],
  );
});
