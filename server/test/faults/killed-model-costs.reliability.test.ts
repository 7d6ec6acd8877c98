import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { fakeUsage } from '../fake-models/protocol.ts';
import { openModelWorkers } from './killed-model-worker.ts';

/** Kills a worker process while it answers with two calls of a model. A worker in this process continues. */
const model = 'gpt-5-costs';
const { app, askUntilKilled, fakes, service, startWorker } = await openModelWorkers(['gpt-5-other', model]);
const { db } = app.context;

const points = [
  // The result of the first or the second call is lost, so that call is made again.
  { point: 'answer.after_step', requests: 3 },
  { point: 'answer.after_step@2', requests: 3 },
  { point: 'answer.after_action', requests: 2 },
  { point: 'answer.after_commit', requests: 2 },
];

for (const { point, requests } of points) {
  test(`records each call of an answer once if a worker is killed at ${point}`, async () => {
    const desk = await app.addDevice({
      actions: [{ name: 'Book', endpoint: `${service.url}/book`, method: 'GET' }],
    });
    await app.api('PATCH', `/bots/${desk.botId}`, { body: { chat_model_level: 2 } });
    assert.equal((await app.api('POST', `/bots/${desk.botId}/publish`)).status, 200);
    const killed = await startWorker(point);
    await app.context.provider.checkModel({ modelLevel: 2 }, new AbortController().signal);
    const called = { toolCalls: [{ callId: 'b', tool: 'Book', arguments: '{}' }] };
    const ended = {
      toolCalls: [{ callId: 'r', tool: 'reply', arguments: '{"text":"Booked.","sources":[]}' }],
    };
    const replies = point === 'answer.after_step' ? [called, called, ended] : [called, ended, ended];
    const before = (await fakes.requests(model)).length;
    await fakes.script(model, replies.slice(0, requests));
    assert.deepEqual(await askUntilKilled(desk, 'Please book', killed), ['Booked.']);
    assert.equal((await fakes.requests(model)).length - before, requests);
    const { rows } = await sql<{
      answers: number;
      calls: number;
      tokens: number;
      ofMonth: number;
      counted: number;
    }>`
      select (select count(*)::int from answers where team_id = ${desk.teamId}) as answers,
        (select count(*)::int from model_calls c join answers a on a.id = c.answer_id
         where c.team_id = ${desk.teamId}) as calls,
        (select sum(input_tokens)::int from model_calls where team_id = ${desk.teamId}) as tokens,
        (select sum(calls)::int from monthly_model_usage where team_id = ${desk.teamId}) as "ofMonth",
        (select sum(questions)::int from bot_days where team_id = ${desk.teamId} and kind = 'all') as counted`.execute(
      db,
    );
    assert.deepEqual(rows, [{ answers: 1, calls: 2, tokens: 2 * fakeUsage.input, ofMonth: 2, counted: 1 }]);
  });
}
