import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownOutcome } from '../../src/knowledge/assistant-provider/assistant-provider.ts';
import { eventually } from '../eventually.ts';
import { openModelWorkers } from './killed-model-worker.ts';

/** Kills a worker process between a call that a model requested and its result. A worker in this process continues. */
const model = 'gpt-5-answers';
const { app, askUntilKilled, fakes, service, startWorker } = await openModelWorkers([model, 'gpt-5-other']);

test('makes each call of a step once, and tells the model which outcome is unknown', async () => {
  const desk = await app.addDevice({
    actions: [{ name: 'Book', endpoint: `${service.url}/{{day}}`, method: 'POST' }],
  });
  const checks = (await fakes.requests(model)).length;
  const killed = await startWorker('answer.after_action');
  await eventually(async () => assert.equal((await fakes.requests(model)).length, checks + 1));
  await fakes.script(model, [
    {
      reasoning: 'thought',
      text: 'One moment.',
      toolCalls: ['monday', 'tuesday'].map((day) => ({
        callId: `reasoned-${day}`,
        tool: 'Book',
        arguments: JSON.stringify({ day }),
      })),
    },
    {
      toolCalls: [
        {
          callId: 'r',
          tool: 'reply',
          arguments: '{"text":"Tuesday is booked. I do not know about monday.","sources":[]}',
        },
      ],
    },
  ]);
  assert.deepEqual(await askUntilKilled(desk, 'Book monday and tuesday', killed), [
    'Tuesday is booked. I do not know about monday.',
  ]);
  assert.deepEqual(
    service.requests.map(({ url }) => url),
    ['/monday', '/tuesday'],
  );
  const { input } = (await fakes.requests(model)).at(-1)?.body ?? { input: [] };
  const outputs = input.filter(({ type }: { type: string }) => type === 'function_call_output');
  assert.deepEqual(
    outputs.map(({ output }: { output: string }) => output),
    [unknownOutcome, '{"booked":true}'],
  );
});
