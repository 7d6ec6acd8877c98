import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startChatApp } from '../../test/chats.ts';
import { startFakeModels } from '../../test/fake-models/fake-models.ts';
import { createRunJob } from '../../test/run-cases.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());
const model = 'judging';
const app = await startChatApp({
  environment: {
    ASSISTANT_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: model,
  },
});
const { db } = app.context;
const criterion = 'The answer is polite.';

/** Runs a case whose answer is judged with these texts. */
async function runJudged(judgements: string[]) {
  const { botId, teamId } = await app.addDevice({
    questions: [{ question: 'When do you open?', answer: 'At nine.' }],
  });
  await app.api('POST', `/bots/${botId}/cases`, {
    body: {
      messages: [{ role: 'contact', text: 'When?' }],
      checks: [{ kind: 'judge', criterion }],
    },
  });
  const { id } = (await app.api('POST', `/bots/${botId}/runs`, { body: {} })).body.data;
  const written = JSON.stringify({ text: 'At nine, my friend.', sources: [] });
  await fakes.script(model, [
    { toolCalls: [{ callId: 'c', tool: 'reply', arguments: written }] },
    ...judgements.map((text) => ({ text })),
  ]);
  const job = createRunJob(app, { prices: new Map([[model, { input: 1, cached: 1, output: 1 }]]) });
  await job.run({ runId: id }, new AbortController().signal);
  const { passed, warned, failed, cost } = (await app.api('GET', `/runs/${id}`)).body.data;
  const [result] = (await app.api('GET', `/runs/${id}/results`)).body.data;
  const { rows } = await sql<{ calls: number }>`
    select count(*)::int as calls from model_calls where team_id = ${teamId}`.execute(db);
  return { counts: [passed, warned, failed], cost, calls: rows[0]?.calls, reasons: result.reasons };
}

test('a criterion that a model finds fulfilled three times passes', async () => {
  const { counts, reasons, calls, cost } = await runJudged(['FULFILLED\nPolite.', 'Fulfilled.', 'FULFILLED']);
  assert.deepEqual({ counts, reasons, calls }, { counts: [1, 0, 0], reasons: [], calls: 4 });
  assert.ok(cost > 0);
  const asked = (await fakes.requests(model)).at(-1)?.body;
  const sent = JSON.stringify(asked.messages);
  for (const part of [criterion, 'At nine, my friend.', 'When?']) assert.ok(sent.includes(part), part);
});

test('judgements that differ warn with the words of the model and how many agree', async () => {
  const { counts, reasons } = await runJudged(['FULFILLED', 'FAILED\nIt is curt.', 'FAILED\nIt is rude.']);
  assert.deepEqual(counts, [0, 1, 0]);
  assert.deepEqual(reasons, [`2 of 3 judgements say that the answer fails: ${criterion} (“It is curt.”)`]);
});

test('a model that says neither has not judged', async () => {
  const { counts, reasons } = await runJudged(['Well.', 'It depends.', 'Who knows?']);
  assert.deepEqual(counts, [0, 1, 0]);
  assert.match(reasons[0], /nothing has judged/);
});
